/** One cell of a table of expected responses. */
export interface Case {
  /** the first cell of the row */
  request: string;
  /** the head of the column */
  caller: string;
  expected: string;
}

/**
 * Parses a table: callers in the first line, a request at the start of each other line, cells separated by `|`. `"`
 * repeats the cell on its left.
 */
export function readResponseTable(text: string): Case[] {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([request = '', ...cells]) => {
    if (cells.length !== head.length - 1) throw new Error(`The row of ${request} has ${cells.length} cells`);
    let previous = '';
    return cells.map((cell, place) => {
      previous = cell === '"' ? previous : cell;
      return { request, caller: head[place + 1] ?? '', expected: previous };
    });
  });
}
