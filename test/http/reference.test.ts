import { describe } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';

for (const name of ['examples', 'bugs', 'extras'] as const) {
  const { catalogue, groups, keys } = openRecording(name);
  for (const { sections, exchanges } of groups) {
    describe(`recorded exchanges: ${sections.join(', ')}`, () => {
      const bugless = useStarted(() => startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS));
      replayExchanges(exchanges, keys, (...request) => bugless.call(...request));
    });
  }
}
