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

/** A resource is at another path of the same address. */
export class MovedError extends BugzillaError {
  /** path and query, percent-encoded */
  readonly location: string;

  constructor(location: string) {
    super(
      'rest_invalid_resource',
      32614,
      308,
      `A path has single slashes. There is '${location.slice(0, 200)}'.`,
    );
    this.location = location;
  }
}

/** A request of a former interface, which gets a fault in its own protocol. */
export class FormerInterfaceError extends BugzillaError {
  readonly kind: FormerInterface;

  constructor(kind: FormerInterface, rest: string) {
    const { name, code, status, message } = errors.rpcUnsupported(kind);
    super(name, code, status, `${message} Here: ${rest}`);
    this.kind = kind;
  }
}
export type FormerInterface = 'XML-RPC' | 'JSON-RPC';

/** The status follows from the code, unless a row says otherwise. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
  ...[102, 106, 109, 110, 113, 115, 120, 300, 301, 304, 410, 504, 505].map((code) => [code, 401] as const),
  ...[51, 101, 32614].map((code) => [code, 404] as const),
]);
const statusOf = (code: number): number => STATUS_OF_CODE.get(code) ?? 400;

/** How an argument is shown in a text. */
type Placeholder<T extends string | number> = (given: T) => string;

/** Bugzilla's name of an error, and its code. */
type CodeByName = Readonly<Record<string, number>>;

/** An error whose arguments are those of its text, in their order. */
const define =
  (row: CodeByName, status?: number) =>
  <A extends (string | number)[]>(
    parts: TemplateStringsArray,
    ...placeholders: { [K in keyof A]: Placeholder<A[K]> }
  ) =>
  (...about: A): BugzillaError => {
    const shown = about.map((argument, index) => placeholders[index]?.(argument));
    return errorOf(row, String.raw({ raw: parts }, ...shown), status);
  };

/** An error of the service, after which a client may try again. */
const unavailable = (name: string) => define({ [name]: 32000 }, 503);
const failed = (name: string) => define({ [name]: 32000 }, 500);

/** An error whose text has its arguments in another order, or more often than once. */
const defineText =
  <A extends unknown[]>(row: CodeByName, text: (...about: A) => string) =>
  (...about: A): BugzillaError =>
    errorOf(row, text(...about));

function errorOf(row: CodeByName, message: string, status?: number): BugzillaError {
  const [[name, code] = ['', 0]] = Object.entries(row);
  return new BugzillaError(name, code, status ?? statusOf(code), message);
}

const text = (given: string): string => given;
const number = (given: number): string => String(given);

/** Keeps what a client sent short enough to be quoted in a text. */
function quoted(given: string): string {
  const short = given.length > 100 ? `${given.slice(0, 100)}…` : given;
  return `'${short}'`;
}

/** Legal values as the end of a text: `, but '1.0', '2.0'`, at most 20 of them; none: nothing. */
const instead = (legal: readonly string[]): string => {
  const shown = legal.slice(0, 20).map(quoted).join(', ');
  return legal.length === 0 ? '' : `, but ${shown}${legal.length > 20 ? ', …' : ''}`;
};

export const errors = {
  // Requests
  routeUnknown: defineText(
    { rest_invalid_resource: 32614 },
    (method: string, path: string, hint = path.endsWith('/') ? 'Its path ends in a slash.' : '') =>
      `A REST API resource was not found for '${method} ${path.slice(0, 200)}'. ${hint}`.trimEnd(),
  ),
  pathMoved: (location: string) => new MovedError(location),
  /** @param rest the address of the REST interface */
  rpcRequested: (kind: FormerInterface, rest: string) => new FormerInterfaceError(kind, rest),
  callbackUnsupported: define({
    json_rpc_invalid_callback: 32611,
  })`JSONP is not served: leave out the parameter 'callback'. Pages of any origin may send the request itself (CORS).`,
  rpcUnsupported: define({
    rest_invalid_resource: 32614,
  })`${text} is not served: use the REST interface, at an address that ends in /rest (python-bugzilla needs nothing more).`,
  contentTypeUnsupported: define(
    { content_type_unsupported: 32000 },
    415,
  )`A body of the content type ${quoted} is not read: send JSON (application/json), a file as base64 in its parameter.`,
  bodyUnreadable: define({ json_rpc_parse_error: 32000 })`The body of the request cannot be read: ${text}.`,
  parameterMissing: define({
    param_required: 50,
  })`The parameter '${text}' is required, and must not be empty.`,
  parameterNotInteger: define({
    param_integer_required: 52,
  })`The parameter '${text}' must be an integer of 0 or more, not ${quoted}.`,
  parameterInvalid: define({ param_invalid: 53 })`The parameter '${text}' is invalid: ${text}.`,
  parameterUnknown: define({ param_unknown: 53 })`This operation has no parameter ${quoted}.`,
  responseTooLarge: define({
    response_too_large: 32000,
  })`The response would be larger than 6 MB. Request less: comments by limit, new_since or comment_ids, histories by limit, products by ids, all with include_fields; or accept gzip.`,
  tooManyTags: define({
    too_many_tags: 32000,
  })`More than ${number} tags contain this text. Use a longer one.`,
  requestTooLarge: define({
    request_too_large: 32000,
  })`This request asks for more than is possible at once: ${text}.`,

  versionMismatch: define(
    { version_mismatch: 32000 },
    412,
  )`The bug has changed since: its version is ${text} now. Read it again before you change it.`,
  versionOfSeveral: define({ version_of_several: 53 })`If-Match is for a change of one bug.`,

  formatUnknown: define(
    { format_unknown: 32000 },
    406,
  )`This page has no format ${quoted}. There are HTML, CSV and Atom of lists, and XML of bugs.`,
  credentialsInAddress: define({
    credentials_in_address: 32000,
  })`This address takes credentials as a header only (X-BUGZILLA-API-KEY): addresses are kept in histories.`,

  idempotencyKeyReused: define(
    { idempotency_key_reused: 32000 },
    422,
  )`This Idempotency-Key was used for another request. Each request needs its own key.`,

  // Credentials and rights
  apiKeyInvalid: define({
    api_key_not_valid: 306,
  })`The API key given is not valid. Check that it was copied completely.`,
  apiKeyRevoked: define({ api_key_revoked: 306 })`The API key given has been revoked.`,
  sessionEnded: define({
    session_ended: 306,
  })`You are signed out, or your sign-in has expired: sign in again.`,
  sessionRequired: define({
    session_required: 410,
  })`You must log in by mail, within the last hour, to make an API key.`,
  sessionMissing: define({ session_missing: 50 })`The request has no session that could end.`,
  signInUnavailable: define({
    sign_in_unavailable: 32614,
  })`Sign-in by mail is not available: this deployment sends no mails for it.`,
  signInCodeWrong: define({
    sign_in_code_wrong: 300,
  })`This code is not valid. It may have expired, or been used; ask for a new one.`,
  hostInvalid: define({ host_invalid: 32000 })`${quoted} is not a host: the header Host is invalid.`,
  originNotAllowed: define(
    { origin_not_allowed: 32000 },
    403,
  )`This operation is for the pages of this address alone.`,
  apiKeyUnknown: define({ object_does_not_exist: 51 })`You have no API key ${quoted}.`,
  apiKeysTooFast: define({
    api_keys_too_fast: 32000,
  })`You have made ${number} API keys within an hour. Wait.`,
  tooManyApiKeys: define({ too_many_api_keys: 32000 })`You have ${number} API keys: revoke one first.`,
  accountDisabled: define({ account_disabled: 301 })`This account is disabled: ${text}`,
  loginWrong: define({
    invalid_login_or_password: 300,
  })`The login or the password is invalid. The password is an API key of the user.`,
  tokenInvalid: define({ token_invalid: 32000 })`The token is not valid, or has expired. Log in again.`,
  loginRequired: define({
    login_required: 410,
  })`You must log in before using this part of Bugless: send an API key in the header X-BUGZILLA-API-KEY, or as the parameter api_key.`,
  credentialsNotRead: define({
    login_required: 410,
  })`You must log in before using this part of Bugless: the header ${text} is not read. Send an API key in the header X-BUGZILLA-API-KEY, or as the parameter api_key.`,
  notAuthorized: defineText(
    { auth_failure: 304 },
    (group: string, action: string) =>
      `Sorry, you are not authorized to ${action}: the group '${group}' is required.`,
  ),
  userHidden: define({ user_access_by_id_denied: 505 })`You must log in to look up users by their ids.`,
  groupHidden: define({ invalid_group: 804 })`There is no group ${quoted}, or you may not see its members.`,
  userMissing: define({ object_does_not_exist: 51 })`There is no user with the id ${quoted}.`,
  loginTaken: define({ account_exists: 500 })`There is a user ${quoted} already.`,
  emailInvalid: define({
    illegal_email_address: 501,
  })`${quoted} is not an email address, in ASCII and of at most 127 characters.`,
  passwordTooShort: define({ password_too_short: 502 })`A password has at least ${number} characters.`,
  groupUnknown: define({ object_does_not_exist: 51 })`There is no group ${quoted}.`,
  groupNotGrantable: define({
    auth_failure: 304,
  })`Sorry, there is no group ${quoted} that you are authorized to grant.`,
  groupNameMissing: define({ empty_group_name: 800 })`You must enter a name for the group.`,
  groupTaken: define({ group_exists: 801 })`There is a group ${quoted} already.`,
  groupDescriptionMissing: define({
    empty_group_description: 802,
  })`You must enter a description for the group.`,
  groupPatternInvalid: define({ invalid_regexp: 803 })`${quoted} is not a regular expression.`,
  unsubscribeCodeWrong: define({
    unsubscribe_code_wrong: 300,
  })`This link turns no mails off. Sign in, and turn them off in your preferences.`,
  savedSearchUnknown: define({ object_does_not_exist: 51 })`You have no saved search ${quoted}.`,
  savedSearchTaken: define({ saved_search_exists: 53 })`You have a saved search ${quoted} already.`,
  groupsHidden: define({ group_cannot_view: 805 })`Only administrators of users and groups can list groups.`,
  userUnknown: define({ invalid_username: 51 })`There is no user ${quoted}.`,

  // Products
  productTypeUnknown: define({
    product_type_unknown: 32000,
  })`There is no product type ${quoted}: valid types are accessible, selectable and enterable.`,
  productAccessDenied: define({
    product_access_denied: 106,
  })`There is no product ${quoted}, or you may not access it.`,
  productNameMissing: define({ product_blank_name: 700 })`You must enter a name for the product.`,
  productNameUnprintable: define({
    product_unprintable_name: 700,
  })`You must enter a name for the product without control characters.`,
  productNameTooLong: define({
    product_name_too_long: 701,
  })`The name of a product is limited to ${number} characters.`,
  productNameTaken: define({
    product_name_already_in_use: 702,
  })`A product with the name ${quoted} already exists.`,
  productNameDiffersInCase: define({
    product_name_diff_in_case: 702,
  })`The name ${quoted} differs from existing product names only in case.`,
  productDescriptionMissing: define({
    product_must_have_description: 703,
  })`You must enter a description for the product.`,
  productVersionMissing: define({
    product_must_have_version: 704,
  })`You must enter a valid version to create a product.`,
  milestoneUnknown: define({
    product_must_define_defaultmilestone: 705,
  })`The product ${quoted} has no milestone ${quoted}.`,
  classificationUnknown: define({ object_does_not_exist: 51 })`There is no classification ${quoted}.`,
  releaseTaken: define({ release_already_exists: 32000 })`The product has a ${text} ${quoted} already.`,
  keywordTaken: define({ keyword_already_exists: 32000 })`There is a keyword ${quoted} already.`,
  componentNameMissing: define({ component_blank_name: 32000 })`You must enter a name for the component.`,
  componentNameTooLong: define({
    component_name_too_long: 105,
  })`The name of a component is limited to ${number} characters.`,
  componentTaken: define({ component_already_exists: 1200 })`The product has a component ${quoted} already.`,
  componentDescriptionMissing: define({
    component_blank_description: 32000,
  })`You must enter a description for the component.`,
  componentAssigneeMissing: define({
    component_need_initialowner: 32000,
  })`A component needs a default assignee.`,
  flagTypeUnknown: define({ object_does_not_exist: 51 })`There is no flag type with the id ${quoted}.`,
  flagTypeNameInvalid: define({
    flag_type_name_invalid: 1101,
  })`${quoted} cannot be the name of a flag type: 1 to ${number} characters, no white space, no commas.`,
  flagTypeDescriptionMissing: define({
    flag_type_description_invalid: 1102,
  })`You must enter a description for the flag type.`,
  flagTypeCcTooLong: define({
    flag_type_cc_list_invalid: 1103,
  })`The CC list of a flag type is limited to ${number} characters.`,
  sortKeyInvalid: define({
    flag_type_sortkey_invalid: 1104,
  })`The sort key ${quoted} is not an integer between 0 and 32767.`,
  flagTypeNotEditable: define({
    flag_type_not_editable: 1105,
  })`You are not authorized to change the flag type ${number}: it belongs to products that you have no access to, too. You may change its inclusions and exclusions.`,
  productNotEditable: define({ product_edit_denied: 109 })`You may not change bugs of the product ${quoted}.`,

  // Bugs and comments
  componentMissing: define({ require_component: 105 })`You must choose a component of the product.`,
  valueUnknown: defineText(
    { object_does_not_exist: 51 },
    (field: string, given: string, legal: readonly string[] = []) =>
      `There is no ${field} ${quoted(given)}${instead(legal)}.`,
  ),
  valueInactive: define({ value_inactive: 32000 })`The ${text} ${quoted} is not active.`,
  noComponents: define({
    no_components: 32000,
  })`The product ${quoted} has no components, so no bugs can be entered.`,
  hoursInvalid: defineText(
    { number_not_numeric: 52 },
    (name: string, given: string) => `The value ${quoted(given)} of ${name} is not a numeric value.`,
  ),
  hoursTooLarge: define({
    number_too_large: 54,
  })`The value of ${text} is more than the maximum of ${number}.`,
  hoursTooSmall: define({
    number_too_small: 55,
  })`The value of ${text} is less than the minimum of ${number}.`,
  seeAlsoInvalid: define({
    bug_url_invalid: 112,
  })`${quoted} is not the URL of a bug in a supported bug tracker.`,
  groupNotAllowed: define({
    group_restriction_not_allowed: 120,
  })`You may not add the group ${quoted} to this bug, or remove it.`,
  changeDenied: define({
    illegal_change: 115,
  })`You tried to change the field '${text}', but you are not allowed to.`,
  ccRemovalDenied: define({
    cc_remove_denied: 32000,
  })`You do not have permission to remove other users from the CC list.`,
  statusChangeDenied: defineText(
    { illegal_bug_status_transition: 123 },
    (from: string, to?: string, next: readonly string[] = []) => {
      const refused = to === undefined ? '' : ` to ${quoted(to)}${instead(next)}`;
      return `You are not allowed to change the status from ${quoted(from)}${refused}.`;
    },
  ),
  commentRequired: define({
    comment_required: 32000,
  })`A comment is required for the change from ${quoted} to ${quoted}.`,
  statusNotForNewBugs: define({ invalid_initial_status: 123 })`A new bug cannot have the status ${quoted}.`,
  resolutionMissing: define({
    missing_resolution: 121,
  })`A valid resolution is required to mark bugs as closed.`,
  resolutionNotAllowed: define({ resolution_not_allowed: 122 })`You cannot set a resolution for open bugs.`,
  duplicateMissing: define({
    dupe_id_required: 119,
  })`A duplicate requires 'dupe_of', the bug that it duplicates.`,
  duplicateLoop: define({
    dupe_loop_detected: 118,
  })`Bug #${number} cannot be a duplicate of that bug: it would be a duplicate of itself.`,
  duplicateOfSeveral: define({ multiple_dupes: 32000 })`'dupe_of' can be set for one bug at a time.`,
  aliasOfSeveral: define({ multiple_alias_not_allowed: 103 })`'alias' can be set for one bug at a time.`,
  dependencyLoop: define({ dependency_loop: 116 })`Bug #${number} would depend on itself.`,
  commentPrivacyUnknown: define({
    comment_invalid_isprivate: 117,
  })`${quoted} is not the id of a comment on this bug.`,
  summaryMissing: define({ require_summary: 107 })`You must enter a summary for the bug.`,
  summaryTooLong: define({ summary_too_long: 104 })`The summary of a bug is limited to ${number} characters.`,
  textTooLong: define({ freetext_too_long: 104 })`The text in '${text}' is limited to ${number} characters.`,
  integerInvalid: defineText(
    { number_not_integer: 32000 },
    (field: string, given: string) => `The value ${quoted(given)} of '${field}' is not an integer.`,
  ),
  integerOutOfRange: define({
    number_too_large: 54,
  })`The value of '${text}' must be from ${number} to ${number}.`,
  fieldMandatory: define({ required_field: 32000 })`A value must be set for the field '${text}'.`,
  bugFieldLoop: define({ cannot_reference_itself: 32000 })`The field '${text}' cannot name the bug itself.`,
  flagUnknown: define({ object_does_not_exist: 51 })`There is no flag ${quoted} here.`,
  flagStatusInvalid: define({
    flag_status_invalid: 129,
  })`The flag ${quoted} cannot have the status ${quoted}.`,
  flagNotAllowed: define({ flag_update_denied: 130 })`You may not set the flag ${quoted} to ${quoted}.`,
  flagRequesteeNotAllowed: define({
    flag_type_requestee_disabled: 131,
  })`The flag ${quoted} cannot have a requestee.`,
  flagNotUnique: define({
    flag_not_unique: 132,
  })`There are several flags ${quoted} here: name one by its id.`,
  flagTypeNotUnique: define({
    flag_type_not_unique: 133,
  })`Several flag types have the name ${quoted}: use 'type_id'.`,
  flagTypeInactive: define({ flag_type_inactive: 134 })`The flag type ${quoted} is not active.`,
  flagNotMultiplicable: define({ flag_type_not_multiplicable: 32000 })`There can be one flag ${quoted} only.`,
  flagRequesteeDenied: define({
    flag_requestee_unauthorized: 32000,
  })`${quoted} cannot be asked: the account is disabled, or lacks the rights.`,
  aliasInvalid: define({
    alias_not_usable: 103,
  })`${quoted} cannot be an alias: no number, no white space, comma or slash, no part of a path, at most ${number} characters.`,
  aliasTaken: define({ alias_in_use: 103 })`Another bug has the alias ${quoted} already.`,
  ccUnknown: define({ invalid_username: 504 })`There is no user ${quoted}.`,
  bugAliasUnknown: define({
    improper_bug_id_field_value: 100,
  })`${quoted} is neither a bug number nor an alias to a bug.`,
  bugUnknown: defineText(
    { bug_id_does_not_exist: 101 },
    (id: string) => `Bug #${id.slice(0, 100)} does not exist.`,
  ),
  bugAccessDenied: defineText(
    { bug_access_denied: 102 },
    (id: string) => `You are not authorized to access bug #${id.slice(0, 100)}.`,
  ),
  commentMissing: define({
    param_required: 50,
  })`The operation requires a comment argument, and it was not set.`,
  commentTooLong: define({ comment_too_long: 114 })`Comments cannot be longer than ${number} characters.`,
  commentUnknown: define({ comment_id_invalid: 111 })`${quoted} is not a valid comment id.`,
  commentIsPrivate: define({ comment_is_private: 110 })`Comment #${number} is private.`,
  privateNotAllowed: define({
    user_not_insider: 113,
  })`Only members of the insider group can make comments private.`,
  timeNotRecognized: defineText(
    { illegal_date: 56 },
    (name: string, given: string) =>
      `${quoted(given)} in '${name}' is not a date or time, such as 2024-01-31T12:00:00Z.`,
  ),
  dateNotRecognized: defineText(
    { illegal_date: 56 },
    (name: string, given: string) =>
      `${quoted(given)} in '${name}' is not a date of the format YYYY-MM-DD, such as 2024-01-31.`,
  ),

  // Searches
  fieldUnknown: define({ invalid_field_name: 108 })`There is no field ${quoted} to search by.`,
  operatorUnknown: define({ search_operator_unknown: 32000 })`There is no search operator ${quoted}.`,
  searchUnsupported: define({
    search_field_operator_invalid: 32000,
  })`Bugless cannot search by ${quoted} in this way.`,
  searchDenied: define({ auth_failure: 304 })`Sorry, you are not authorized to search by ${quoted}.`,
  pronounUnknown: define({
    illegal_pronoun: 32000,
  })`${quoted} is not a pronoun: valid pronouns are %user%, %reporter%, %assignee% and %qacontact%.`,
  numberNotNumeric: defineText(
    { number_not_numeric: 52 },
    (name: string, given: string) => `The value ${quoted(given)} of '${name}' is not a numeric value.`,
  ),
  patternInvalid: define({ illegal_regexp: 32000 })`${quoted} is not a regular expression.`,
  patternTooComplex: define({
    regexp_too_complex: 32000,
  })`The regular expression ${quoted} is too complex for the texts of this search. Use a simpler one, or narrow the search.`,
  chartUnbalanced: define({
    search_cp_without_op: 32000,
  })`The group of conditions that '${text}' closes was not opened.`,
  chartsMixed: define({
    search_grouped_invalid_mix: 32000,
  })`Conditions that AND_G joins have to be on the same field.`,
  chartsNested: define({
    search_grouped_invalid_nesting: 32000,
  })`Conditions that AND_G joins cannot have groups within them.`,
  joinerUnknown: define({
    search_invalid_joiner: 32000,
  })`Conditions are joined by AND, OR or AND_G, not by ${quoted}.`,
  quicksearchEmpty: define({ buglist_parameters_required: 1000 })`The quicksearch is empty.`,
  fullTextInvalid: define({
    full_text_invalid: 32000,
  })`The full-text expression ${quoted} is invalid: an operator stands alone, or a parenthesis is not closed.`,
  quicksearchInvalid: define({
    quicksearch_invalid_query: 32000,
  })`The quicksearch ${quoted} is invalid: ${text}.`,
  searchTooLong: define({ search_too_long: 32000 })`This search has more than ${text}. Use several searches.`,
  searchTooBroad: define({
    search_too_broad: 32000,
  })`This search would examine more than ${text}. Narrow it by id, alias, product, person, status or last_change_time, or page by last_change_time.`,

  // Parts of the interface around bugs
  userNotInvolved: define({
    user_not_involved: 32000,
  })`You are not involved in bug #${number}: its reporter, assignee, QA contact or on CC.`,
  fieldMissing: define({ object_does_not_exist: 51 })`There is no field ${quoted} of bugs.`,
  attachmentUnknown: define({
    invalid_attach_id: 32000,
  })`There is no attachment ${quoted}, or you may not change it.`,
  attachmentNotFound: define({ invalid_attach_id: 32000 })`There is no attachment ${quoted}.`,
  attachmentDamaged: failed(
    'attachment_damaged',
  )`The data of attachment ${number} is incomplete: ask the administrator to restore it from a backup.`,
  attachmentHidden: define({
    auth_failure: 304,
  })`Sorry, you are not authorized to access attachment #${text}.`,
  attachmentNameMissing: define({ file_not_specified: 603 })`You must enter a file name.`,
  attachmentNameBlank: define({ filename_blank: 32000 })`The file name cannot be empty.`,
  attachmentSummaryMissing: define({
    missing_attachment_description: 604,
  })`You must enter a summary for the attachment.`,
  contentTypeInvalid: define({
    invalid_content_type: 601,
  })`${quoted} is not a content type, such as text/plain.`,
  attachmentEmpty: define({ zero_length_file: 606 })`The file is empty.`,
  attachmentTooLarge: define({
    file_too_large: 600,
  })`The file has more than ${number} bytes. Store it elsewhere, and link to it in a comment.`,
  attachmentsTooLarge: define({
    response_too_large: 32000,
  })`The attachments have more than 4.4 MB of data, or are more than 500: use exclude_fields=data (of XML: no field=attachmentdata), and read the data one by one.`,

  // Comment tags
  tagsDisabled: define({ comment_tag_disabled: 125 })`Comment tags are disabled.`,
  tagTooShort: define({ comment_tag_too_short: 128 })`A comment tag has at least ${number} characters.`,
  tagTooLong: define({ comment_tag_too_long: 127 })`A comment tag has at most ${number} characters.`,
  tagInvalid: define({
    comment_tag_invalid: 126,
  })`${quoted} is not a comment tag: tags have letters, digits, '_', '-' and '.' only.`,
  tagCommentIdInvalid: define({ comment_id_not_numeric: 57 })`${quoted} is not the number of a comment.`,

  // The service itself
  changedPartly: failed(
    'changed_partly',
  )`The change was written in part, and then the database was not available. Repeat the request to complete it.`,
  unavailable: unavailable('service_unavailable')`The database is not available. Retry later.`,
  notPermitted: unavailable(
    'not_permitted',
  )`The service lacks a permission for this, as it may while another version is deployed. Retry later; if that does not help, an operator finds the missing permission in the log, under the request id ${text}.`,
  readsTooMuch: unavailable(
    'reads_too_much',
  )`This request reads more of the database than one may at once. Name fewer in 'ids', 'id' or 'names', or read them in parts, with 'limit', 'offset' or 'new_since'; if there is one only, retry later.`,
  searchIndexBehind: unavailable(
    'search_index_behind',
  )`The search index is behind the bugs, and this service may not write it: run 'npm run admin -- check --repair'.`,
  tableTooNew: unavailable(
    'table_too_new',
  )`The table has format ${number}, which this version cannot use: deploy Bugless ${text} or later.`,
  clockOff: unavailable('clock_off')`${text}. Nothing is written until then.`,
  formatDamaged: unavailable(
    'format_damaged',
  )`The item FORMAT of the table is damaged: restore it, or the table, from a backup.`,
  upgradePending: unavailable(
    'upgrade_pending',
  )`A version before 1.0.0 wrote the table: deploy Bugless 1.2.0, and run its 'npm run admin -- upgrade' first.`,
  readOnly: unavailable('read_only')`The service is read-only for a while. Retry later.`,
  importRuns: unavailable(
    'import_runs',
  )`Nothing can be written here until the import from ${text} ends, which began at ${text}: write there. Reading works.`,
  internal: failed('internal_error')`Internal error. The log has the details under the request id ${text}.`,
} as const;
