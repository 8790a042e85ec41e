import * as z from 'zod/mini';
import { type Environment, optionalSetting, readEnvironment } from '../../settings.ts';

/** Settings of the function `events`, beside those that all functions have. */
const schema = z.object({
  /** of EventBridge */
  EVENT_BUS_NAME: z.string('must name the event bus').check(z.minLength(1, 'must name the event bus')),
  /** URL of EventBridge; AWS by default */
  EVENTS_ENDPOINT: optionalSetting,
  /** URL of the SQS queue that gets records which cannot become events; absent: they are logged only */
  FAILED_EVENTS_QUEUE_URL: optionalSetting,
  /** whether the function `mail` is told of each change */
  MAIL: z._default(z.enum(['true', 'false']), 'false'),
});

/**
 * Reads the settings of the function `events` from an environment.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export const readEventSettings = (environment: Environment): Readonly<z.infer<typeof schema>> =>
  readEnvironment(schema, environment);
