import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { redirect } from '../../lib/http/response/gateway-response.ts';
import { optional, parseParameters, queryText, text } from '../../lib/parameters.ts';
import { API_PAGE, BUG_PAGE, type ServedAsset } from './assets.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

/** Pages load scripts and styles from this origin only, and send requests and forms only to it. `blob:` shows attachments. */
const contentSecurityPolicy = (importMapSource: string) =>
  [
    "default-src 'none'",
    `script-src 'self' ${importMapSource}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageEndpoint =
  (asset: ServedAsset): Endpoint<ExplorerServices> =>
  async (request, { files }) => {
    const page = await files.page(asset);
    return sendFile(request, page, {
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy(page.importMapSource),
      'referrer-policy': 'no-referrer',
    });
  };

/** The page of bugs, lists, products and the help: its address says which of them it shows. */
export const pageOfBugs = pageEndpoint(BUG_PAGE);

const formatQuery = z.object({ ctype: optional(text) });

/** Other formats than HTML of a page, by `ctype`; they are served where the table may be read. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/buglist.cgi': {
    csv: 'rest/bugless/list.csv',
    atom: 'rest/bugless/list.atom',
    rss: 'rest/bugless/list.atom',
  },
  '/show_bug.cgi': { xml: 'rest/bugless/bug.xml' },
};

const isPassedOn = (name: string) => name !== 'ctype' && !CREDENTIAL_PARAMETERS.includes(name);

/**
 * Returns the page that shows a bug, a list of bugs, or the products, as its address says; leads to other formats, without
 * credentials, which do not belong into addresses.
 */
export const getBugPage: Endpoint<ExplorerServices> = async (request, services) => {
  const { ctype } = parseParameters(formatQuery, request.parameters);
  const format = ctype?.toLowerCase() ?? '';
  if (format === '' || format === 'html') return pageOfBugs(request, services);
  const location = FORMATS[request.path]?.[format];
  if (location === undefined) throw errors.formatUnknown(format);
  return redirect(`${location}?${queryText(request.parameters, isPassedOn)}`);
};

/** Returns the API explorer. */
export const getApiPage = pageEndpoint(API_PAGE);
