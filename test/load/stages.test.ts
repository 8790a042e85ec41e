import { expect, test } from 'vitest';
import { stagesOf } from './stages.ts';

test('the load grows in stages, and is steady for most of the time', () => {
  const stages = stagesOf(60, 32);
  expect(stages.map(({ connections }) => connections)).toEqual([4, 8, 16, 32, 32]);
  expect(stages.map(({ seconds }) => seconds)).toEqual([6, 6, 6, 6, 36]);
  expect(stages.map(({ isSteady }) => isSteady)).toEqual([false, false, false, false, true]);
});

test('few connections have fewer stages in the same time', () => {
  const stages = stagesOf(10, 2);
  expect(stages.map(({ connections }) => connections)).toEqual([1, 2, 2]);
  expect(stages.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(10);
});
