/**
 * Every error that a client can see: its name, Bugzilla's code, the HTTP status, and our text.
 * Codes and statuses are Bugzilla's (functions/README.md 1 to 8); programs look for some words of the
 * texts (functions/README.md 9), so those words stay.
 */
export class BugzillaError extends Error {
  override readonly name: string;
  readonly code: number;
  readonly status: number;

  constructor(name: string, code: number, status: number, message: string) {
    super(message);
    this.name = name;
    this.code = code;
    this.status = status;
  }
}

type Text<A extends unknown[]> = (...about: A) => string;

const define =
  <A extends unknown[]>(name: string, code: number, status: number, text: Text<A>) =>
  (...about: A): BugzillaError =>
    new BugzillaError(name, code, status, text(...about));

/** Keeps what a client sent short enough to be quoted in a text. */
function quoted(given: string): string {
  const short = given.length > 100 ? `${given.slice(0, 100)}…` : given;
  return `'${short}'`;
}

export const errors = {
  // Requests
  routeUnknown: define(
    'rest_invalid_resource',
    32614,
    404,
    (method: string, path: string) =>
      `A REST API resource was not found for '${method} ${path.slice(0, 200)}'.`,
  ),
  xmlRpcUnsupported: define(
    'rest_invalid_resource',
    32614,
    404,
    () => 'XML-RPC is not served: use the REST interface under /rest (in python-bugzilla, force_rest=True).',
  ),
  bodyUnreadable: define(
    'json_rpc_parse_error',
    32000,
    400,
    (problem: string) => `The body of the request cannot be read: ${problem}.`,
  ),
  parameterMissing: define(
    'param_required',
    50,
    400,
    (name: string) => `The parameter '${name}' is required, and must not be empty.`,
  ),
  parameterNotInteger: define(
    'param_integer_required',
    52,
    400,
    (name: string, given: string) => `The parameter '${name}' must be an integer, not ${quoted(given)}.`,
  ),
  parameterInvalid: define(
    'param_invalid',
    53,
    400,
    (name: string, problem: string) => `The parameter '${name}' is invalid: ${problem}.`,
  ),
  parameterUnknown: define(
    'param_unknown',
    53,
    400,
    (name: string) => `This operation has no parameter ${quoted(name)}.`,
  ),
  responseTooLarge: define(
    'response_too_large',
    32000,
    400,
    () =>
      'The response would be larger than 6 MB. Request less: comments by new_since or comment_ids, products by ids, all with include_fields; or accept gzip.',
  ),
  tooManyTags: define(
    'too_many_tags',
    32000,
    400,
    (most: number) => `More than ${most} tags contain this text. Use a longer one.`,
  ),
  requestTooLarge: define(
    'request_too_large',
    32000,
    400,
    (limit: string) => `This request asks for more than is possible at once: ${limit}.`,
  ),

  idempotencyKeyReused: define(
    'idempotency_key_reused',
    32000,
    422,
    () => 'This Idempotency-Key was used for another request. Each request needs its own key.',
  ),

  // Credentials and rights
  apiKeyInvalid: define(
    'api_key_not_valid',
    306,
    400,
    () => 'The API key given is not valid. Check that it was copied completely.',
  ),
  apiKeyRevoked: define('api_key_revoked', 306, 400, () => 'The API key given has been revoked.'),
  accountDisabled: define(
    'account_disabled',
    301,
    401,
    (reason: string) => `This account is disabled: ${reason}`,
  ),
  loginWrong: define(
    'invalid_login_or_password',
    300,
    401,
    () => 'The login or the password is invalid. The password is an API key of the user.',
  ),
  tokenInvalid: define(
    'token_invalid',
    32000,
    400,
    () => 'The token is not valid, or has expired. Log in again.',
  ),
  loginRequired: define(
    'login_required',
    410,
    401,
    () => 'You must log in before using this part of Bugless.',
  ),
  notAuthorized: define(
    'auth_failure',
    304,
    401,
    (group: string, action: string) =>
      `Sorry, you are not authorized to ${action}: the group '${group}' is required.`,
  ),
  userHidden: define(
    'user_access_by_id_denied',
    505,
    401,
    () => 'You must log in to look up users by their ids.',
  ),
  groupHidden: define(
    'invalid_group',
    804,
    400,
    (group: string) => `There is no group ${quoted(group)}, or you may not see its members.`,
  ),
  userMissing: define(
    'object_does_not_exist',
    51,
    404,
    (id: string) => `There is no user with the id ${quoted(id)}.`,
  ),
  loginTaken: define(
    'account_exists',
    500,
    400,
    (login: string) => `There is a user ${quoted(login)} already.`,
  ),
  emailInvalid: define(
    'illegal_email_address',
    501,
    400,
    (email: string) => `${quoted(email)} is not an email address, in ASCII and of at most 127 characters.`,
  ),
  passwordTooShort: define(
    'password_too_short',
    502,
    400,
    (limit: number) => `A password has at least ${limit} characters.`,
  ),
  groupUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (group: string) => `There is no group ${quoted(group)}.`,
  ),
  groupNotGrantable: define(
    'auth_failure',
    304,
    401,
    (group: string) => `Sorry, there is no group ${quoted(group)} that you are authorized to grant.`,
  ),
  groupNameMissing: define('empty_group_name', 800, 400, () => 'You must enter a name for the group.'),
  groupTaken: define(
    'group_exists',
    801,
    400,
    (group: string) => `There is a group ${quoted(group)} already.`,
  ),
  groupDescriptionMissing: define(
    'empty_group_description',
    802,
    400,
    () => 'You must enter a description for the group.',
  ),
  groupPatternInvalid: define(
    'invalid_regexp',
    803,
    400,
    (pattern: string) => `${quoted(pattern)} is not a regular expression.`,
  ),
  groupsHidden: define(
    'group_cannot_view',
    805,
    400,
    () => 'Only administrators of users and groups can list groups.',
  ),
  userUnknown: define('invalid_username', 51, 404, (login: string) => `There is no user ${quoted(login)}.`),

  // Products
  productTypeUnknown: define(
    'product_type_unknown',
    32000,
    400,
    (type: string) =>
      `There is no product type ${quoted(type)}: valid types are accessible, selectable and enterable.`,
  ),
  productAccessDenied: define(
    'product_access_denied',
    106,
    401,
    (product: string) => `There is no product ${quoted(product)}, or you may not access it.`,
  ),
  productNameMissing: define('product_blank_name', 700, 400, () => 'You must enter a name for the product.'),
  productNameUnprintable: define(
    'product_unprintable_name',
    700,
    400,
    () => 'You must enter a name for the product without control characters.',
  ),
  productNameTooLong: define(
    'product_name_too_long',
    701,
    400,
    (limit: number) => `The name of a product is limited to ${limit} characters.`,
  ),
  productNameTaken: define(
    'product_name_already_in_use',
    702,
    400,
    (name: string) => `A product with the name ${quoted(name)} already exists.`,
  ),
  productNameDiffersInCase: define(
    'product_name_diff_in_case',
    702,
    400,
    (name: string) => `The name ${quoted(name)} differs from existing product names only in case.`,
  ),
  productDescriptionMissing: define(
    'product_must_have_description',
    703,
    400,
    () => 'You must enter a description for the product.',
  ),
  productVersionMissing: define(
    'product_must_have_version',
    704,
    400,
    () => 'You must enter a valid version to create a product.',
  ),
  milestoneUnknown: define(
    'product_must_define_defaultmilestone',
    705,
    400,
    (product: string, milestone: string) =>
      `The product ${quoted(product)} has no milestone ${quoted(milestone)}.`,
  ),
  classificationUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (name: string) => `There is no classification ${quoted(name)}.`,
  ),
  componentNameMissing: define(
    'component_blank_name',
    32000,
    400,
    () => 'You must enter a name for the component.',
  ),
  componentNameTooLong: define(
    'component_name_too_long',
    105,
    400,
    (limit: number) => `The name of a component is limited to ${limit} characters.`,
  ),
  componentTaken: define(
    'component_already_exists',
    1200,
    400,
    (name: string) => `The product has a component ${quoted(name)} already.`,
  ),
  componentDescriptionMissing: define(
    'component_blank_description',
    32000,
    400,
    () => 'You must enter a description for the component.',
  ),
  componentAssigneeMissing: define(
    'component_need_initialowner',
    32000,
    400,
    () => 'A component needs a default assignee.',
  ),
  flagTypeUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (id: string) => `There is no flag type with the id ${quoted(id)}.`,
  ),
  flagTypeNameInvalid: define(
    'flag_type_name_invalid',
    1101,
    400,
    (name: string) =>
      `${quoted(name)} cannot be the name of a flag type: 1 to 50 characters, no white space, no commas.`,
  ),
  flagTypeDescriptionMissing: define(
    'flag_type_description_invalid',
    1102,
    400,
    () => 'You must enter a description for the flag type.',
  ),
  flagTypeCcTooLong: define(
    'flag_type_cc_list_invalid',
    1103,
    400,
    (limit: number) => `The CC list of a flag type is limited to ${limit} characters.`,
  ),
  sortKeyInvalid: define(
    'flag_type_sortkey_invalid',
    1104,
    400,
    (given: string) => `The sort key ${quoted(given)} is not an integer between 0 and 32767.`,
  ),
  productNotEditable: define(
    'product_edit_denied',
    109,
    401,
    (product: string) => `You may not change bugs of the product ${quoted(product)}.`,
  ),

  // Bugs and comments
  componentMissing: define(
    'require_component',
    105,
    400,
    () => 'You must choose a component of the product.',
  ),
  valueUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (field: string, value: string) => `There is no ${field} ${quoted(value)}.`,
  ),
  valueInactive: define(
    'value_inactive',
    32000,
    400,
    (field: string, value: string) => `The ${field} ${quoted(value)} is not active.`,
  ),
  noComponents: define(
    'no_components',
    32000,
    400,
    (product: string) => `The product ${quoted(product)} has no components, so no bugs can be entered.`,
  ),
  hoursInvalid: define(
    'number_not_numeric',
    52,
    400,
    (name: string, given: string) => `The value ${quoted(given)} of ${name} is not a numeric value.`,
  ),
  hoursTooLarge: define(
    'number_too_large',
    54,
    400,
    (name: string) => `The value of ${name} is more than the maximum of 99999.99.`,
  ),
  hoursTooSmall: define(
    'number_too_small',
    55,
    400,
    (name: string) => `The value of ${name} is less than the minimum of 0.`,
  ),
  seeAlsoInvalid: define(
    'bug_url_invalid',
    112,
    400,
    (given: string) => `${quoted(given)} is not the URL of a bug in a supported bug tracker.`,
  ),
  groupNotAllowed: define(
    'group_restriction_not_allowed',
    120,
    401,
    (group: string) => `You may not add the group ${quoted(group)} to this bug, or remove it.`,
  ),
  changeDenied: define(
    'illegal_change',
    115,
    401,
    (field: string) => `You tried to change the field '${field}', but you are not allowed to.`,
  ),
  ccRemovalDenied: define(
    'cc_remove_denied',
    32000,
    400,
    () => 'You do not have permission to remove other users from the CC list.',
  ),
  statusChangeDenied: define(
    'illegal_bug_status_transition',
    123,
    400,
    (from: string, to?: string) =>
      `You are not allowed to change the status from ${quoted(from)}${to === undefined ? '' : ` to ${quoted(to)}`}.`,
  ),
  statusNotForNewBugs: define(
    'invalid_initial_status',
    123,
    400,
    (status: string) => `A new bug cannot have the status ${quoted(status)}.`,
  ),
  resolutionMissing: define(
    'missing_resolution',
    121,
    400,
    () => 'A valid resolution is required to mark bugs as closed.',
  ),
  resolutionNotAllowed: define(
    'resolution_not_allowed',
    122,
    400,
    () => 'You cannot set a resolution for open bugs.',
  ),
  duplicateMissing: define(
    'dupe_id_required',
    119,
    400,
    () => "A duplicate requires 'dupe_of', the bug that it duplicates.",
  ),
  duplicateLoop: define(
    'dupe_loop_detected',
    118,
    400,
    (id: number) => `Bug #${id} cannot be a duplicate of that bug: it would be a duplicate of itself.`,
  ),
  duplicateOfSeveral: define(
    'multiple_dupes',
    32000,
    400,
    () => "'dupe_of' can be set for one bug at a time.",
  ),
  aliasOfSeveral: define(
    'multiple_alias_not_allowed',
    103,
    400,
    () => "'alias' can be set for one bug at a time.",
  ),
  dependencyLoop: define('dependency_loop', 116, 400, (id: number) => `Bug #${id} would depend on itself.`),
  commentPrivacyUnknown: define(
    'comment_invalid_isprivate',
    117,
    400,
    (id: string) => `${quoted(id)} is not the id of a comment on this bug.`,
  ),
  summaryMissing: define('require_summary', 107, 400, () => 'You must enter a summary for the bug.'),
  summaryTooLong: define(
    'summary_too_long',
    104,
    400,
    (limit: number) => `The summary of a bug is limited to ${limit} characters.`,
  ),
  textTooLong: define(
    'freetext_too_long',
    104,
    400,
    (field: string, limit: number) => `The text in '${field}' is limited to ${limit} characters.`,
  ),
  integerInvalid: define(
    'number_not_integer',
    32000,
    400,
    (field: string, given: string) => `The value ${quoted(given)} of '${field}' is not an integer.`,
  ),
  integerTooLarge: define(
    'number_too_large',
    54,
    400,
    (field: string) => `The value of '${field}' is more than 32 bits have room for.`,
  ),
  fieldMandatory: define(
    'required_field',
    32000,
    400,
    (field: string) => `A value must be set for the field '${field}'.`,
  ),
  bugFieldLoop: define(
    'cannot_reference_itself',
    32000,
    400,
    (field: string) => `The field '${field}' cannot name the bug itself.`,
  ),
  flagUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (flag: string) => `There is no flag ${quoted(flag)} here.`,
  ),
  flagStatusInvalid: define(
    'flag_status_invalid',
    129,
    400,
    (flag: string, status: string) => `The flag ${quoted(flag)} cannot have the status ${quoted(status)}.`,
  ),
  flagNotAllowed: define(
    'flag_update_denied',
    130,
    400,
    (flag: string, status: string) => `You may not set the flag ${quoted(flag)} to ${quoted(status)}.`,
  ),
  flagRequesteeNotAllowed: define(
    'flag_type_requestee_disabled',
    131,
    400,
    (flag: string) => `The flag ${quoted(flag)} cannot have a requestee.`,
  ),
  flagNotUnique: define(
    'flag_not_unique',
    132,
    400,
    (flag: string) => `There are several flags ${quoted(flag)} here: name one by its id.`,
  ),
  flagTypeNotUnique: define(
    'flag_type_not_unique',
    133,
    400,
    (flag: string) => `Several flag types have the name ${quoted(flag)}: use 'type_id'.`,
  ),
  flagTypeInactive: define(
    'flag_type_inactive',
    134,
    400,
    (flag: string) => `The flag type ${quoted(flag)} is not active.`,
  ),
  flagNotMultiplicable: define(
    'flag_type_not_multiplicable',
    32000,
    400,
    (flag: string) => `There can be one flag ${quoted(flag)} only.`,
  ),
  flagRequesteeDenied: define(
    'flag_requestee_unauthorized',
    32000,
    400,
    (login: string) => `${quoted(login)} cannot be asked: the account is disabled, or lacks the rights.`,
  ),
  aliasInvalid: define(
    'alias_not_usable',
    103,
    400,
    (alias: string) =>
      `${quoted(alias)} cannot be an alias: no number, no white space, comma or slash, no part of a path, at most 40 characters.`,
  ),
  aliasTaken: define(
    'alias_in_use',
    103,
    400,
    (alias: string) => `Another bug has the alias ${quoted(alias)} already.`,
  ),
  ccUnknown: define('invalid_username', 504, 401, (login: string) => `There is no user ${quoted(login)}.`),
  bugAliasUnknown: define(
    'improper_bug_id_field_value',
    100,
    400,
    (given: string) => `${quoted(given)} is neither a bug number nor an alias to a bug.`,
  ),
  bugUnknown: define(
    'bug_id_does_not_exist',
    101,
    404,
    (id: string) => `Bug #${id.slice(0, 100)} does not exist.`,
  ),
  bugAccessDenied: define(
    'bug_access_denied',
    102,
    401,
    (id: string) => `You are not authorized to access bug #${id.slice(0, 100)}.`,
  ),
  commentMissing: define(
    'param_required',
    50,
    400,
    () => 'The operation requires a comment argument, and it was not set.',
  ),
  commentTooLong: define(
    'comment_too_long',
    114,
    400,
    (limit: number) => `Comments cannot be longer than ${limit} characters.`,
  ),
  commentUnknown: define(
    'comment_id_invalid',
    111,
    400,
    (id: string) => `${quoted(id)} is not a valid comment id.`,
  ),
  commentIsPrivate: define('comment_is_private', 110, 401, (id: number) => `Comment #${id} is private.`),
  privateNotAllowed: define(
    'user_not_insider',
    113,
    401,
    () => 'Only members of the insider group can make comments private.',
  ),
  timeNotRecognized: define(
    'illegal_date',
    56,
    400,
    (name: string, given: string) =>
      `${quoted(given)} in '${name}' is not a date or time, such as 2024-01-31T12:00:00Z.`,
  ),
  dateNotRecognized: define(
    'illegal_date',
    56,
    400,
    (name: string, given: string) =>
      `${quoted(given)} in '${name}' is not a date of the format YYYY-MM-DD, such as 2024-01-31.`,
  ),
  workTimeNotNumber: define(
    'number_not_numeric',
    52,
    400,
    (given: string) => `The value ${quoted(given)} of work_time is not a numeric value.`,
  ),
  workTimeTooLarge: define(
    'number_too_large',
    54,
    400,
    () => 'The value of work_time is more than the maximum of 99999.99.',
  ),
  workTimeTooSmall: define(
    'number_too_small',
    55,
    400,
    () => 'The value of work_time is less than the minimum of -99999.99.',
  ),

  // Searches
  fieldUnknown: define(
    'invalid_field_name',
    108,
    400,
    (field: string) => `There is no field ${quoted(field)} to search by.`,
  ),
  operatorUnknown: define(
    'search_operator_unknown',
    32000,
    400,
    (operator: string) => `There is no search operator ${quoted(operator)}.`,
  ),
  searchUnsupported: define(
    'search_field_operator_invalid',
    32000,
    400,
    (what: string) => `Bugless cannot search by ${quoted(what)} in this way.`,
  ),
  pronounUnknown: define(
    'illegal_pronoun',
    32000,
    400,
    (given: string) =>
      `${quoted(given)} is not a pronoun: valid pronouns are %user%, %reporter%, %assignee% and %qacontact%.`,
  ),
  numberNotNumeric: define(
    'number_not_numeric',
    52,
    400,
    (name: string, given: string) => `The value ${quoted(given)} of '${name}' is not a numeric value.`,
  ),
  patternInvalid: define(
    'illegal_regexp',
    32000,
    400,
    (pattern: string) => `${quoted(pattern)} is not a regular expression.`,
  ),
  patternTooComplex: define(
    'regexp_too_complex',
    32000,
    400,
    (pattern: string) =>
      `The regular expression ${quoted(pattern)} is too complex for the texts of this search. Use a simpler one, or narrow the search.`,
  ),
  chartUnbalanced: define(
    'search_cp_without_op',
    32000,
    400,
    (name: string) => `The group of conditions that '${name}' closes was not opened.`,
  ),
  chartsMixed: define(
    'search_grouped_invalid_mix',
    32000,
    400,
    () => 'Conditions that AND_G joins have to be on the same field.',
  ),
  quicksearchEmpty: define('buglist_parameters_required', 1000, 400, () => 'The quicksearch is empty.'),
  quicksearchInvalid: define(
    'quicksearch_invalid_query',
    32000,
    400,
    (given: string, problem: string) => `The quicksearch ${quoted(given)} is invalid: ${problem}.`,
  ),
  searchTooLong: define(
    'search_too_long',
    32000,
    400,
    (limit: string) => `This search has more than ${limit}. Use several searches.`,
  ),
  searchTooBroad: define(
    'search_too_broad',
    32000,
    400,
    (limit: string) =>
      `This search would examine more than ${limit}. Narrow it by id, alias, product, person, status or last_change_time, or page by last_change_time.`,
  ),

  // Parts of the interface around bugs
  userNotInvolved: define(
    'user_not_involved',
    32000,
    400,
    (id: number) => `You are not involved in bug #${id}: its reporter, assignee, QA contact or on CC.`,
  ),
  fieldMissing: define(
    'object_does_not_exist',
    51,
    404,
    (name: string) => `There is no field ${quoted(name)} of bugs.`,
  ),
  attachmentUnknown: define(
    'invalid_attach_id',
    32000,
    400,
    (id: string) => `There is no attachment ${quoted(id)}, or you may not change it.`,
  ),
  attachmentHidden: define(
    'auth_failure',
    304,
    401,
    (id: string) => `Sorry, you are not authorized to access attachment #${id}.`,
  ),
  attachmentNameMissing: define('file_not_specified', 603, 400, () => 'You must enter a file name.'),
  attachmentNameBlank: define('filename_blank', 32000, 400, () => 'The file name cannot be empty.'),
  attachmentSummaryMissing: define(
    'missing_attachment_description',
    604,
    400,
    () => 'You must enter a summary for the attachment.',
  ),
  contentTypeInvalid: define(
    'invalid_content_type',
    601,
    400,
    (type: string) => `${quoted(type)} is not a content type, such as text/plain.`,
  ),
  attachmentEmpty: define('zero_length_file', 606, 400, () => 'The file is empty.'),
  attachmentTooLarge: define(
    'file_too_large',
    600,
    400,
    (max: number) => `The file has more than ${max} bytes. Store it elsewhere, and link to it in a comment.`,
  ),
  attachmentsTooLarge: define(
    'response_too_large',
    32000,
    400,
    () =>
      'The attachments have more than 6 MB of data: use exclude_fields=data, and read the data one by one.',
  ),

  // Comment tags
  tagsDisabled: define('comment_tag_disabled', 125, 400, () => 'Comment tags are disabled.'),
  tagTooShort: define(
    'comment_tag_too_short',
    128,
    400,
    (limit: number) => `A comment tag has at least ${limit} characters.`,
  ),
  tagTooLong: define(
    'comment_tag_too_long',
    127,
    400,
    (limit: number) => `A comment tag has at most ${limit} characters.`,
  ),
  tagInvalid: define(
    'comment_tag_invalid',
    126,
    400,
    (tag: string) => `${quoted(tag)} is not a comment tag: tags have letters, digits, '_', '-' and '.' only.`,
  ),
  tagCommentIdInvalid: define(
    'comment_id_not_numeric',
    57,
    400,
    (given: string) => `${quoted(given)} is not the number of a comment.`,
  ),

  // The service itself
  unavailable: define('service_unavailable', 32000, 503, () => 'The database is not available. Retry later.'),
  readOnly: define('read_only', 32000, 503, () => 'The service is read-only for a while. Retry later.'),
  internal: define(
    'internal_error',
    32000,
    500,
    (requestId: string) => `Internal error. The log has the details under the request id ${requestId}.`,
  ),
} as const;
