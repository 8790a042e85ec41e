import { describe } from 'vitest';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';
import { useBundled } from '../support/use-service.ts';

describe('npm start -- --bundled gives the recorded responses', () => {
  const { cataloguePath, groups, keys } = openRecording('examples');
  const { call } = useBundled(cataloguePath, RECORDED_SETTINGS);
  for (const { exchanges } of groups) replayExchanges(exchanges, keys, call);
});
