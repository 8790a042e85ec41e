import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { MAILS_PER_HOUR } from '../../lib/changes/mail/options.ts';
import { structuredEventOptions } from '../stage-options.ts';
import { UsageError } from './context.ts';

/** What a stage's file has of events, beside other options. */
const schema = z.object({
  ...structuredEventOptions,
  mailPerHour: z._default(z.coerce.number(), MAILS_PER_HOUR),
});

/**
 * The webhooks and the mail of a stage's file.
 *
 * @throws UsageError when it is not JSON, or one of these is invalid
 */
export function eventsOfStage(file: string) {
  const read = schema.safeParse(readJson(file));
  if (!read.success) throw new UsageError(`${file} is invalid:\n${z.prettifyError(read.error)}`);
  const { webhooks, mail, mailPerHour } = read.data;
  return { webhooks, mail: mail === undefined ? undefined : { ...mail, perHour: mailPerHour } };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageError(`${file} is not a file with a JSON object, such as infra/stages/prod.json`);
  }
}
