import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { readMailSettings } from '../../lib/mail/settings.ts';

readMailSettings(process.env);

export const handler = (_: SQSEvent): Promise<SQSBatchResponse> => Promise.resolve({ batchItemFailures: [] });
