/** The matcher: 150 KB, which deployments without expressions do not need. */
let matcher: Promise<typeof import('re2js')> | undefined;

/** In sum: RE2 unfolds them, and each takes time and memory in every process. */
const MAX_REPEATS = 1_000;

/**
 * A test whether an expression of a group matches a login somewhere, in any case, as in Perl, in time in proportion to the
 * lengths of both (RE2).
 *
 * @returns undefined: RE2 does not understand the expression, such as one with `(?#…)` or a look-ahead; it matches nobody
 */
export async function compileExpression(
  expression: string,
): Promise<((login: string) => boolean) | undefined> {
  const repeats = [...expression.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const sum = repeats.reduce((all, [, from, to]) => all + Number(to || from), 0);
  if (sum > MAX_REPEATS) return undefined;
  matcher ??= import('re2js');
  const { RE2JS, RE2JSSyntaxException } = await matcher;
  try {
    const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return (login) => compiled.test(login);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return undefined;
    throw error;
  }
}
