import { describe, expect, it } from 'vitest';
import { openRecording, RECORDED_SETTINGS, replayExchanges, send } from '../support/recordings.ts';
import { useBundled } from '../support/use-service.ts';

describe('npm start -- --bundled gives the recorded responses', () => {
  const { cataloguePath, groups, keys } = openRecording('examples');
  const { call } = useBundled(cataloguePath, RECORDED_SETTINGS);
  for (const { exchanges } of groups) replayExchanges(exchanges, keys, call);
});

describe('npm start -- --bundled', () => {
  const { cataloguePath, groups, keys } = openRecording('bugs');
  const { call } = useBundled(cataloguePath, RECORDED_SETTINGS);

  // The responses themselves are compared in test/http; here, a missing permission on the table is a 500.
  it.each(groups)('has the permissions for the recorded exchanges of $sections', async ({ exchanges }) => {
    const failed: string[] = [];
    for (const exchange of exchanges) {
      const { status } = await send(exchange, keys, call);
      if (status >= 500) failed.push(`${exchange.as}: ${exchange.request}`);
    }
    expect(failed).toEqual([]);
  });
});
