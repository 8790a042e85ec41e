import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, so that no worker begins one when the others have finished. */
const LONGEST = [
  'http/reference',
  'infra/start',
  'integration/check',
  'explorer/pages',
  'http/long-texts',
  'http/search-segments',
  'integration/apply-interrupted',
  'explorer/writing',
  'upgrade/former-tables',
  'infra/migrating',
  'infra/stack',
  'infra/readme',
  'http/recorded-searches',
  'http/request-bounds',
  'faults/mail-delivery',
  'faults/events',
  'integration/import-problems',
  'infra/events-stack',
  'explorer/sign-in',
  'http/visibility',
  'faults/crashes',
  'explorer/explorer',
  'http/administration',
  'infra/bundled-reference',
  'http/comment-words',
  'faults/clock',
  'http/sign-in',
  'integration/large-catalogue',
  'property/hostile',
  'property/restore',
  'http/tags-concurrency',
  'http/large-responses',
  'http/mail-rules',
  'http/attachments',
  'integration/import-again',
  'integration/failed-events',
  'integration/import',
  'faults/single-faults',
  'load/load',
  'http/search-index-limits',
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
