import { parseWeights } from '../accept-header.ts';
import { streamJson } from './json-stream.ts';

/** Headers of JSON that is shown as a page. */
export const HTML: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=UTF-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Whether a client would rather have HTML than JSON or anything at all: browsers say so, programs don't. */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = parseWeights(accept);
  const weightOf = (type: string) => weights.get(type) ?? 0;
  return weightOf('text/html') > Math.max(weightOf('application/json'), weightOf('*/*'));
}

const BEFORE = `<!doctype html>
<html lang="en">
<meta charset="UTF-8">
<meta name="color-scheme" content="light dark">
<title>Bugless</title>
<pre>`;
const AFTER = '</pre>\n</html>\n';

/** A page that shows `value` as JSON that people can read. */
export const htmlOf = (value: unknown): string =>
  BEFORE + escaped(JSON.stringify(value, undefined, 2)) + AFTER;

/** The same in pieces, of a value that holds async iterables. */
export async function* streamHtml(value: unknown): AsyncGenerator<string> {
  yield BEFORE;
  for await (const piece of streamJson(value, true)) yield escaped(piece);
  yield AFTER;
}

/** For the content of an element, where quotes mean nothing. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
