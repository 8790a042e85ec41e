import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';

const README = readFileSync(join(import.meta.dirname, '../../functions/README.md'), 'utf8');

for (const name of ['examples', 'bugs', 'extras'] as const) {
  const { catalogue, groups, keys, intended } = openRecording(name);
  it(`the interface names each exchange of ${name} that is answered otherwise on purpose`, () => {
    const rows = README.split('\n').filter((line) => line.startsWith(`| \`${name}\``));
    const named = rows.flatMap((row) => row.split('|')[2]?.match(/\d+/g) ?? []);
    expect(named.map(Number).sort()).toEqual(intended.toSorted());
  });
  for (const { sections, exchanges } of groups) {
    describe(`recorded exchanges: ${sections.join(', ')}`, () => {
      const bugless = useStarted(() => startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS));
      replayExchanges(exchanges, keys, (...request) => bugless.call(...request));
    });
  }
}
