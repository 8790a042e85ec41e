import { join } from 'node:path';
import { useBundled } from '../support/bundled.ts';
import { describeRecordedExchanges, RECORDED_SETTINGS } from '../support/recorded-exchanges.ts';

const CATALOGUE = join(import.meta.dirname, '../reference/catalog.json');

const { call } = useBundled(CATALOGUE, RECORDED_SETTINGS);

describeRecordedExchanges(call);
