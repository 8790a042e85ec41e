import { expect, test } from 'vitest';
import { memoryProblems } from './memory.ts';

const MB = 1_000_000;
const STABLE_HEAP = { before: 60 * MB, after: 61 * MB };
const samplesOf = (from: number, to: number) =>
  Array.from({ length: 30 }, (_, at) => (from + ((to - from) * at) / 29) * MB);

test('fluctuating memory is no problem', () => {
  const samples = samplesOf(400, 400).map((sample, at) => sample + (at % 5) * 20 * MB);
  expect(memoryProblems({ requests: 20_000, samples, heap: STABLE_HEAP })).toEqual([]);
});

test('growing memory is reported', () => {
  expect(memoryProblems({ requests: 20_000, samples: samplesOf(400, 700), heap: STABLE_HEAP })).toEqual([
    'The process grew from 451.7 to 658.6 MB under steady load',
  ]);
});

test('a growing heap is reported before the process grows', () => {
  const heap = { before: 60 * MB, after: 69 * MB };
  expect(memoryProblems({ requests: 20_000, samples: samplesOf(400, 410), heap })).toEqual([
    'The heap after garbage collection grew from 60.0 to 69.0 MB under steady load',
  ]);
});

test('too few requests report nothing', () => {
  expect(memoryProblems({ requests: 500, samples: samplesOf(400, 700), heap: STABLE_HEAP })).toEqual([]);
});
