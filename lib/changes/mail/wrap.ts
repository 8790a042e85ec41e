const TAB_WIDTH = 8;

/** Tabs as blanks up to the next multiple of eight characters. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let column = 0;
  return line
    .split('\t')
    .map((part, index) => {
      const blanks = index === 0 ? 0 : TAB_WIDTH - (column % TAB_WIDTH);
      column += blanks + [...part].length;
      return ' '.repeat(blanks) + part;
    })
    .join('');
}

/** Characters until the next blank, or all. */
function wordLength(characters: readonly string[], from: number): number {
  let end = from;
  while (end < characters.length && !/\s/.test(characters[end] ?? '')) end += 1;
  return end - from;
}

/**
 * Wraps one line at blanks, as mails of Bugzilla do.
 *
 * @param max of a line, in characters
 */
function wrapLine(line: string, max: number, longWords: 'cut' | 'kept'): string[] {
  const characters = [...expandTabs(line)];
  const lines: string[] = [];
  let at = 0;
  while (at < characters.length) {
    const rest = characters.length - at;
    let length = Math.min(max, rest);
    if (rest > max && !/\s/.test(characters[at + max] ?? '')) {
      const blank = characters.slice(at, at + max).findLastIndex((character) => /\s/.test(character));
      const isLong = blank <= 0;
      length = isLong ? (longWords === 'cut' ? max : Math.max(wordLength(characters, at), 1)) : blank;
    }
    lines.push(
      characters
        .slice(at, at + length)
        .join('')
        .trimEnd(),
    );
    at += length;
    if (/\s/.test(characters[at] ?? '')) at += 1;
  }
  return lines.length === 0 ? [''] : lines;
}

/** Wraps a text for a column: words that are longer than that are cut. @param max of a line, in characters */
export const wrapHard = (text: string, max: number): string[] =>
  text.split('\n').flatMap((line) => wrapLine(line, max, 'cut'));

/** Of a line, in characters. */
export const MAX_LINE = 79;

/** Wraps the text of a comment: neither quoted lines nor long words and addresses are changed. */
export const wrapText = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith('>') ? [line.trimEnd()] : wrapLine(line, MAX_LINE, 'kept')))
    .join('\n');

/** A text without control characters but line breaks and tabs, and without lone surrogates. */
export const printable = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
