import { beforeAll } from 'vitest';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { describeRecordedExchanges, RECORDED_SETTINGS } from '../support/recorded-exchanges.ts';

let bugless: Bugless;
beforeAll(async () => {
  bugless = await startBugless(undefined, RECORDED_SETTINGS);
});

describeRecordedExchanges((...request) => bugless.call(...request));
