type Row = Readonly<Record<string, string | number>>;

/** Prints rows under a title. */
export const printTable = (title: string, rows: readonly Row[]): void =>
  console.log(`\n${title}\n\n${markdownTable(rows)}`);

/** Rows as a table of Markdown, columns as wide as they need. */
export function markdownTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))),
  );
  const ruler = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return lines
    .toSpliced(1, 0, ruler)
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

export const rounded = (value: number, digits = 2): string => value.toFixed(digits);
