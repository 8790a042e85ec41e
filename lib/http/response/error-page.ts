import { hash } from 'node:crypto';
import { type BugzillaRequest, baseAddress } from '../request.ts';
import { COMMON_HEADERS, type GatewayResponse } from './gateway-response.ts';

const STYLE =
  ':root{color-scheme:light dark}body{max-width:40rem;margin:15vh auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}a{color:light-dark(#0b6152,#7fd6c2)}';

const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; frame-ancestors 'none'`;

/** Whether a browser asks for a document, and not for something of the interface. */
export const wantsPage = ({ method, path, headers }: BugzillaRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/rest(\.cgi)?(\/|$)/.test(path) &&
  /text\/html/i.test(headers['accept'] ?? '');

/** The page (404) at an address of which there is none, with the way on. It says nothing of the address. functions/README.md 8 */
export const missingPage = (request: BugzillaRequest): GatewayResponse =>
  errorPage(request, 404, 'This page is not here', 'Bugless has no page at this address.');

/** The page of an error, with the way on. @param message text, not HTML */
export function errorPage(
  request: BugzillaRequest,
  statusCode: number,
  title: string,
  message: string,
): GatewayResponse {
  return {
    statusCode,
    headers: {
      ...COMMON_HEADERS,
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': POLICY,
    },
    body: page(escapeHtml(baseAddress(request)), escapeHtml(title), escapeHtml(message)),
    isBase64Encoded: false,
  };
}

/** A text in HTML, or in an attribute in quotes. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (base: string, title: string, message: string): string => `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bugless: ${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p>${message}
<p><a href="${base}">Products and bugs</a>, <a href="${base}query.cgi">search</a>, <a href="${base}enter_bug.cgi">a new bug</a>, <a href="${base}api">every operation</a>.
</html>
`;
