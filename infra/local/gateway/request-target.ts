import { percentDecoded } from '../../../lib/base/text.ts';

/** A request target as API Gateway passes it to functions. */
export interface Target {
  /** decoded once */
  rawPath: string;
  /** as sent, without the question mark */
  rawQueryString: string;
}

/**
 * Parses a request target. Scheme and host, which proxies send, are dropped.
 *
 * @param target one character for each byte, as Node's HTTP server provides it
 */
export function readTarget(target: string): Target {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = local.includes('?') ? local.indexOf('?') : local.length;
  const path = local.slice(0, mark);
  return {
    rawPath: percentDecoded(path.startsWith('/') ? path : `/${path}`),
    rawQueryString: local.slice(mark + 1),
  };
}
