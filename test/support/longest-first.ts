import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, so that no worker begins one when the others have finished. */
const LONGEST = [
  'http/reference',
  'integration/admin',
  'faults/crashes',
  'infra/start',
  'infra/bundled-reference',
  'http/busy-bug',
  'load/load',
  'infra/readme',
  'http/comments-concurrency',
  'integration/import-problems',
  'http/readme',
  'http/visibility',
  'explorer/explorer',
  'faults/single-faults',
  'property/search',
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
