/** What the target of a request line says, as API Gateway passes it on. */
export interface Target {
  /** decoded once */
  rawPath: string;
  /** as it was sent, without the question mark */
  rawQueryString: string;
}

/**
 * Takes the target of a request line apart, also one with scheme and host (as proxies send it).
 *
 * @param target one character a byte, as Node's HTTP server gives it
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

/**
 * Decodes percent-encoded UTF-8, whatever it is: a percent sign that encodes nothing stays, bytes that are
 * not UTF-8 become U+FFFD.
 *
 * @param text one character a byte
 */
export function percentDecoded(text: string): string {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
