import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, so that no worker begins one when the others have finished. */
const LONGEST = [
  'http/reference',
  'infra/start',
  'integration/admin',
  'http/tags-concurrency',
  'faults/crashes',
  'integration/check',
  'infra/readme',
  'http/busy-bug',
  'property/hostile',
  'faults/mixed',
  'integration/import-problems',
  'integration/apply-interrupted',
  'http/many-bugs',
  'integration/catalogue',
  'infra/stack',
  'infra/bundled-reference',
  'http/visibility',
  'integration/concurrent-check',
  'faults/single-faults',
  'integration/import-interrupted',
  'explorer/explorer',
  'load/load',
  'http/many-tags',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
};

/** Runs the longest test files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
