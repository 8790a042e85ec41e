import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveWithPermissions, startBugless, useStarted } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS, type Recording, replayExchanges } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';

/** Each function has only its deployed permissions for every tenth exchange; for all of them in a run with `RUNS`. */
const PERMITTED_STEP = isLong ? 1 : 10;

/**
 * Sections with which another table begins, because what those before them wrote changes their responses. In a run with `RUNS`
 * each group has a table of its own, as when it was recorded.
 */
const BEGIN_TABLES: ReadonlySet<string> = new Set([
  ...['bug_update', 'bug_update_lists', 'bug_update_status', 'bug_update_rights', 'clients'],
  ...['flags_rights', 'admin_groups', 'bmo'],
]);

/** The groups that share a table, in the recorded order. */
function tablesOf(groups: Recording['groups']): Recording['groups'] {
  const tables: Recording['groups'] = [];
  for (const { sections, exchanges } of groups) {
    const table = tables.at(-1);
    if (isLong || table === undefined || sections.some((section) => BEGIN_TABLES.has(section))) {
      tables.push({ sections: [...sections], exchanges: [...exchanges] });
    } else {
      table.sections.push(...sections);
      table.exchanges.push(...exchanges);
    }
  }
  return tables;
}

const README = readFileSync(join(import.meta.dirname, '../../functions/README.md'), 'utf8');

for (const name of ['examples', 'bugs', 'extras'] as const) {
  const { catalogue, groups, keys, intended } = openRecording(name);
  it(`the interface names each exchange of ${name} that is answered otherwise on purpose`, () => {
    const rows = README.split('\n').filter((line) => line.startsWith(`| \`${name}\``));
    const named = rows.flatMap((row) => row.split('|')[2]?.match(/\d+/g) ?? []);
    expect(named.map(Number).sort()).toEqual(intended.toSorted());
  });
  for (const { sections, exchanges } of tablesOf(groups)) {
    describe(`recorded exchanges: ${sections.join(', ')}`, () => {
      const started = useStarted(async () => {
        const usual = await startBugless(catalogue(), RECORDED_SETTINGS);
        return { usual, permitted: await serveWithPermissions(usual.table, RECORDED_SETTINGS) };
      });
      let sent = 0;
      replayExchanges(exchanges, keys, (...request) => {
        sent += 1;
        const { usual, permitted } = started;
        return (sent % PERMITTED_STEP === 0 ? permitted : usual).call(...request);
      });
    });
  }
}
