import { beforeAll, describe } from 'vitest';
import { type Bugless, startBuglessWithPermissions } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';

for (const name of ['examples', 'bugs', 'extras'] as const) {
  const { catalogue, groups, keys } = openRecording(name);
  for (const { sections, exchanges } of groups) {
    describe(`recorded exchanges: ${sections.join(', ')}`, () => {
      let bugless: Bugless;
      beforeAll(async () => {
        bugless = await startBuglessWithPermissions(catalogue(), RECORDED_SETTINGS);
      });
      replayExchanges(exchanges, keys, (...request) => bugless.call(...request));
    });
  }
}
