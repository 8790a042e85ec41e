import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { newTable, serve, useStarted } from '../support/bugless.ts';
import { importInto } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { LIVING_CHANGES, startLivingBugzilla } from '../support/living-bugzilla.ts';
import { enableAdmin, verifiedLines } from '../support/verifying.ts';

const GUIDE = new URL('../../infra/MIGRATING.md', import.meta.url);
/** As many as LIVING_CHANGES changes. */
const BUGS = 19;

/**
 * The differences after changes, then after a run as every night, and then after one with `everything`; first of what a nightly run does not
 * bring, so that nothing else makes it read these bugs again.
 */
async function startChanged() {
  const bugzilla = await startLivingBugzilla(BUGS);
  const table = await newTable();
  const run = (everything: boolean) => importInto(table, bugzilla.url, { grantRights: true, everything });
  await run(false);
  await enableAdmin(table);
  const here = await (await serve(table)).listen();
  const verified = () => verifiedLines(bugzilla.url, here.url, table);
  const imported = await verified();
  const stages: Stage[] = [];
  for (const isNext of [false, true]) {
    for (const { seen, change } of LIVING_CHANGES) if ((seen === 'next') === isNext) change(bugzilla);
    const changed = await verified();
    await run(false);
    const next = await verified();
    await run(true);
    stages.push({ changed, next, everything: await verified() });
  }
  const [hidden = NONE, shown = NONE] = stages;
  return { table, imported, hidden, shown, guide: await readFile(GUIDE, 'utf8') };
}

/** Differences, as lines. */
interface Stage {
  changed: string[];
  next: string[];
  everything: string[];
}
const NONE: Stage = { changed: [], next: [], everything: [] };

describe('a change in Bugzilla since the last import:', () => {
  const started = useStarted(startChanged);

  it.each(LIVING_CHANGES)('$what ($seen)', ({ what, seen, line }) => {
    const has = (lines: readonly string[]) => lines.some((one) => line.test(one));
    const { imported, hidden, shown, guide } = started;
    const { changed, next, everything } = seen === 'next' ? shown : hidden;
    expect([imported, changed, next, everything].map(has)).toEqual([
      ...[false, true, seen !== 'next', seen === 'none'],
    ]);
    expect(changed.find((one) => line.test(one))).toMatch(new RegExp(`\\(${seen}\\)$`));
    const columns = { next: 'yes', everything: '`--everything`', none: 'no' } as const;
    // Not toContain, which prints the guide.
    expect(guide.includes(`| ${what} | ${columns[seen]} |\n`)).toBe(true);
  });

  it('leaves no other difference than those that no import mends', () => {
    const { imported, hidden, shown } = started;
    expect(imported).toEqual([]);
    const unexplained = (some: readonly string[]) => some.filter((one) => !one.endsWith('(none)'));
    expect(unexplained(hidden.everything)).toEqual([]);
    expect(unexplained(shown.next)).toEqual([]);
    expect(unexplained(shown.everything)).toEqual([]);
  });

  it('leaves a table without violations', () => expectNoViolations(started.table));
});
