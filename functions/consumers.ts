import type { Consumer } from '../lib/changes/events/consumer.ts';
import { consumer as events } from './events/consumer.ts';
import { consumer as mail } from './mail/consumer.ts';

/** The functions that no request calls: of the stream of the table, and of the queue of mails. */
export const consumers: readonly Consumer[] = [events, mail];
