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
    (name: string, given: string) => `The parameter '${name}' takes whole numbers, not ${quoted(given)}.`,
  ),
  parameterInvalid: define(
    'param_invalid',
    53,
    400,
    (name: string, problem: string) => `The parameter '${name}' is not right: ${problem}.`,
  ),
  parameterUnknown: define(
    'param_unknown',
    53,
    400,
    (name: string) => `There is no parameter ${quoted(name)} that this operation could change.`,
  ),
  responseTooLarge: define(
    'response_too_large',
    32000,
    400,
    () =>
      'The answer would be larger than 6 MB. Ask for less: comments by new_since or comment_ids, products by ids, all with include_fields; or accept gzip.',
  ),
  tooManyTags: define(
    'too_many_tags',
    32000,
    400,
    (most: number) => `More than ${most} tags contain this text. Ask for a longer one.`,
  ),
  requestTooLarge: define(
    'request_too_large',
    32000,
    400,
    (limit: string) => `This request asks for more than can be changed at once: ${limit}.`,
  ),

  idempotencyKeyReused: define(
    'idempotency_key_reused',
    32000,
    422,
    () => 'This Idempotency-Key came with another request before. Each request takes a key of its own.',
  ),

  // Credentials and rights
  apiKeyInvalid: define(
    'api_key_not_valid',
    306,
    400,
    () => 'The API key given is not valid. Check that it was copied whole.',
  ),
  apiKeyRevoked: define(
    'api_key_revoked',
    306,
    400,
    () => 'The API key given has been revoked. Ask for another.',
  ),
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
    () => 'The login or the password is not right. The password is an API key of the user.',
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
      `Sorry, you are not authorized to ${action}: that takes the group '${group}'.`,
  ),
  userHidden: define(
    'user_access_by_id_denied',
    505,
    401,
    () => 'You must log in to look up users by their ids.',
  ),
  userUnknown: define('invalid_username', 51, 404, (login: string) => `There is no user ${quoted(login)}.`),

  // Products
  productTypeUnknown: define(
    'product_type_unknown',
    32000,
    400,
    (type: string) =>
      `There is no type ${quoted(type)} of products: it is accessible, selectable or enterable.`,
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
  productNotEditable: define(
    'product_edit_denied',
    109,
    401,
    (product: string) => `You may not change bugs of the product ${quoted(product)}.`,
  ),

  // Bugs and comments
  componentUnknown: define(
    'product_unknown_component',
    105,
    400,
    (name: string) => `The product has no active component ${quoted(name)}.`,
  ),
  versionUnknown: define(
    'object_does_not_exist',
    51,
    404,
    (product: string, version: string) =>
      `The product ${quoted(product)} has no active version ${quoted(version)}.`,
  ),
  summaryMissing: define('require_summary', 107, 400, () => 'You must enter a summary for the bug.'),
  summaryTooLong: define(
    'summary_too_long',
    107,
    400,
    (limit: number) => `The summary of a bug is limited to ${limit} characters.`,
  ),
  aliasInvalid: define(
    'alias_not_usable',
    103,
    400,
    (alias: string) =>
      `${quoted(alias)} cannot be an alias: no number, no white space, no comma, at most 40 characters.`,
  ),
  aliasTaken: define(
    'alias_in_use',
    103,
    400,
    (alias: string) => `Another bug has the alias ${quoted(alias)} already.`,
  ),
  personUnknown: define(
    'invalid_username',
    504,
    400,
    (login: string) => `There is no user ${quoted(login)}.`,
  ),
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
    () => 'This takes a comment argument, and that was not set.',
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
    () => 'A comment that is private takes the insider group, and you are not in it.',
  ),
  timeNotRecognized: define(
    'illegal_date',
    56,
    400,
    (name: string, given: string) =>
      `${quoted(given)} in '${name}' is not a date or time, as 2024-01-31T12:00:00Z is.`,
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

  // Comment tags
  tagsDisabled: define('comment_tag_disabled', 125, 400, () => 'Comment tags are switched off here.'),
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
    (tag: string) => `${quoted(tag)} is not a comment tag: it takes letters, digits, '_', '-' and '.' only.`,
  ),
  tagCommentIdInvalid: define(
    'comment_id_not_numeric',
    57,
    400,
    (given: string) => `${quoted(given)} is not the number of a comment.`,
  ),

  // The service itself
  unavailable: define(
    'service_unavailable',
    32000,
    503,
    () => 'The database does not answer at the moment. Try again shortly.',
  ),
  internal: define(
    'internal_error',
    32000,
    500,
    (requestId: string) => `Something went wrong inside Bugless. The log has it under ${requestId}.`,
  ),
} as const;
