/**
 * Splits a text at separators outside of quotes; quotes and backslashes stay. `"` quotes anywhere, `'`
 * only where a word begins or ends: else it is an apostrophe.
 *
 * @param separator a sticky pattern
 * @returns undefined when a quote is not closed, or a backslash is the last character
 */
export function splitUnquoted(text: string, separator: RegExp): string[] | undefined {
  const parts: string[] = [];
  let part = '';
  let quote = '';
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    separator.lastIndex = at;
    const [separated = ''] = quote === '' ? (separator.exec(text) ?? []) : [];
    if (separated !== '') {
      parts.push(part);
      part = '';
      at += separated.length;
      continue;
    }
    if (character === '\\') {
      if (at + 1 === text.length) return undefined;
      part += text.slice(at, at + 2);
      at += 2;
      continue;
    }
    if (character === quote) quote = '';
    else if (quote === '' && isQuote(character, part, text.charAt(at + 1))) quote = character;
    part += character;
    at += 1;
  }
  return quote === '' ? [...parts, part] : undefined;
}

const isQuote = (character: string, before: string, after: string): boolean =>
  character === '"' || (character === "'" && (/^$|[\s:=,|-]$/.test(before) || /^$|\s/.test(after)));

/** A text without the quotes around its parts, and the backslashes before characters. */
export function unquoted(text: string): string {
  return text.replace(
    /\\(.)|"([^"\\]*)"|^'(.*)'$/gs,
    (_, escaped, double, single) => escaped ?? double ?? single,
  );
}
