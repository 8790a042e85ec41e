import { parseWeights } from '../accept-header.ts';
import { streamJson } from './json.ts';

/** Headers of JSON that is shown as a page. */
export const HTML_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=UTF-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Whether a client prefers HTML to JSON and any other type, as browsers do. */
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

/** A page that shows `value` as indented JSON. */
export const toHtml = (value: unknown): string =>
  BEFORE + escapeHtml(JSON.stringify(value, undefined, 2)) + AFTER;

/** The same in pieces, for a value that contains async iterables. */
export async function* streamHtml(value: unknown): AsyncGenerator<string> {
  yield BEFORE;
  for await (const piece of streamJson(value, true)) yield escapeHtml(piece);
  yield AFTER;
}

/** For the content of an element, where quotes need no escape. */
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
