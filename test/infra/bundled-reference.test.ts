import { describe } from 'vitest';
import { sample } from '../support/long.ts';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';
import { useBundled } from '../support/use-service.ts';

/** `http/reference.test.ts` replays each exchange; here some show that the bundles give the same responses. */
const STEP = 10;

describe('npm start -- --bundled gives the recorded responses', () => {
  const { cataloguePath, groups, keys } = openRecording('examples');
  const { call } = useBundled(cataloguePath, RECORDED_SETTINGS);
  for (const { exchanges } of groups) {
    replayExchanges(sample(exchanges, STEP), keys, call);
  }
});
