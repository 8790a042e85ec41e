import { Logger } from '@aws-lambda-powertools/logger';

/** Where operators read what went wrong. Never give it credentials or what users wrote. */
export interface Log {
  error(message: string, about: { requestId: string; cause: unknown }): void;
}

/** Structured lines for CloudWatch. */
export function openLog(): Log {
  const logger = new Logger({ serviceName: 'bugless' });
  return {
    error: (message, { requestId, cause }) =>
      logger.error(message, {
        request_id: requestId,
        error: cause instanceof Error ? cause : new Error(String(cause)),
      }),
  };
}
