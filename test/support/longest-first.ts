import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, so that no worker begins one when the others have finished. */
const LONGEST = [
  'integration/check',
  'http/recorded-searches',
  'infra/start',
  'http/request-bounds',
  'upgrade/former-tables',
  'http/reference',
  'http/search-segments',
  'integration/apply-interrupted',
  'property/restore',
  'infra/readme',
  'faults/crashes',
  'explorer/explorer',
  'explorer/pages',
  'integration/large-catalogue',
  'property/hostile',
  'http/search-index-limits',
  'faults/single-faults',
  'explorer/writing',
  'explorer/sign-in',
  'infra/migrating',
  'http/visibility',
  'integration/import',
  'http/tags-concurrency',
  'http/large-responses',
  'http/comment-words',
  'faults/retry-timeout',
  'integration/admin',
  'infra/stack',
  'infra/bundled-reference',
  'load/load',
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
