import { expect, it } from 'vitest';
import { csvList } from '../../../lib/bugs/show/csv.ts';

const cellOf = (text: string): string => {
  const column = { name: 'x', title: 'X', fields: ['x'], text: () => text };
  const reader = { isTimeTracker: false, hidesAddresses: true, lastVisit: () => undefined };
  const [, ...rows] = csvList([{ id: 1 }], [column], { isHuman: false, reader }).split('\n');
  return rows.join('\n').slice('1,'.length);
};

it.each([
  ['=1+1', `"'=1+1"`],
  ['+1+1', `"'+1+1"`],
  ['-1+1', `"'-1+1"`],
  ['-', '" -"'],
  ['---', '" ---"'],
  ['---1', `"'---1"`],
  ['@SUM(1)', `"'@SUM(1)"`],
  [' =1', `"' =1"`],
  ['\u00a0\u200b=1', `"'\u00a0\u200b=1"`],
  ['\t=1', `"'\t=1"`],
  ['\tx', `"'\tx"`],
  ['\rx', `"'\rx"`],
  ['\nx', `"'\nx"`],
  ['＝1', `"'＝1"`],
  ['＋1', `"'＋1"`],
  [' －1', `"' －1"`],
  ['＠x', `"'＠x"`],
  ['\0=1', `"'=1"`],
  ['a\0b', '"ab"'],
  ['a=1 "b"', '"a=1 ""b"""'],
  ['', ''],
  ['12', '12'],
  ['-12.50', '-12.50'],
])('a cell %j is %s', (text, cell) => expect(cellOf(text)).toBe(cell));
