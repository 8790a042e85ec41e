/** One cell of a table of expected answers: who asks what, and what comes of it. */
export interface Case {
  /** the first cell of its row */
  request: string;
  /** the head of its column */
  caller: string;
  expected: string;
}

/**
 * Reads a table that is written out as text: callers in its first line, a request at the beginning of each other
 * line, cells between bars. `"` repeats the cell on its left.
 */
export function readAnswerTable(text: string): Case[] {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([request = '', ...cells]) => {
    if (cells.length !== head.length - 1) throw new Error(`The row of ${request} has ${cells.length} cells`);
    let before = '';
    return cells.map((cell, place) => {
      before = cell === '"' ? before : cell;
      return { request, caller: head[place + 1] ?? '', expected: before };
    });
  });
}
