import * as z from 'zod/mini';
import { optional, parseParameters, queryText, text } from '../../lib/base/parameters.ts';
import { xmlText } from '../../lib/bugs/show/xml.ts';
import { errors } from '../../lib/errors.ts';
import { type BugzillaRequest, CREDENTIAL_PARAMETERS } from '../../lib/http/request.ts';
import {
  documentResponse,
  type Endpoint,
  type GatewayResponse,
  redirect,
} from '../../lib/http/response/gateway-response.ts';
import { API_PAGE, BUG_PAGE, type ServedAsset, scriptsOf } from './assets.ts';
import type { PageContent, ServedPage } from './files.ts';
import { firstReads } from './first-reads.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

/** Pages load scripts and styles from this origin only, and send requests and forms only to it. `blob:` shows attachments. */
const contentSecurityPolicy = (inlineSources: string) =>
  [
    "default-src 'none'",
    `script-src 'self' ${inlineSources}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = (page: ServedPage) => ({
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy(page.inlineSources),
  'referrer-policy': 'no-referrer',
});

const pageEndpoint =
  (asset: ServedAsset, contentOf: (request: BugzillaRequest) => PageContent): Endpoint<PageServices> =>
  async (request, { files }) => {
    const page = await files.page(asset, contentOf(request));
    return sendFile(request, page, pageHeaders(page));
  };

/** What pages need. */
export type PageServices = Pick<ExplorerServices, 'files'>;

const NAME = 'Bugless';

/** Lists have a title for readers without JavaScript. What a reader searches for is only in the address. */
const titleOf = ({ path }: BugzillaRequest): string =>
  path === '/buglist.cgi' ? `Bug list – ${NAME}` : NAME;

const tabQuery = z.object({ tab: optional(text) });

/** The scripts of the page, and what it reads first. */
function scriptsFor({ path, parameters }: BugzillaRequest) {
  const { tab } = parseParameters(tabQuery, parameters);
  return { scripts: scriptsOf(path, tab), reads: firstReads(path, tab, parameters) };
}

/** Leads readers without scripts from a list to its rows. */
const headOf = ({ path, parameters }: BugzillaRequest): string =>
  path === '/buglist.cgi'
    ? `<noscript><meta http-equiv="refresh" content="0; url=rest/bugless/list.html?${xmlText(queryText(parameters, isPassedOn))}"></noscript>`
    : '';

/** The page of bugs, lists, products and the help: its address says which of them it shows. */
export const pageOfBugs = pageEndpoint(BUG_PAGE, (request) => ({
  title: titleOf(request),
  ...scriptsFor(request),
  head: headOf(request),
}));

/** The page of one bug, with what readers without JavaScript get of it; undefined: nothing. */
export async function pageOfBug(
  request: BugzillaRequest,
  { files }: PageServices,
  content: PageContent | undefined,
): Promise<GatewayResponse> {
  const page = await files.page(BUG_PAGE, { ...(content ?? { title: NAME }), ...scriptsFor(request) });
  return documentResponse(request, page.content, {
    ...pageHeaders(page),
    'content-type': page.contentType,
  });
}

const formatQuery = z.object({ ctype: optional(text) });

/** Other formats than HTML of a page, by `ctype`; they are served where the table may be read. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/buglist.cgi': {
    csv: 'rest/bugless/list.csv',
    atom: 'rest/bugless/list.atom',
    rss: 'rest/bugless/list.atom',
  },
  '/request.cgi': { csv: 'rest/bugless/request.csv' },
  '/show_bug.cgi': { xml: 'rest/bugless/bug.xml' },
};

const isPassedOn = (name: string) => name !== 'ctype' && !CREDENTIAL_PARAMETERS.includes(name);

/**
 * Returns the page that shows a list of bugs, or the products, as its address says; leads to other formats, without
 * credentials, which do not belong into addresses.
 */
export const getPage: Endpoint<PageServices> = async (request, services) =>
  redirectToFormat(request) ?? pageOfBugs(request, services);

/**
 * Leads to another format than HTML that the request names; undefined: it names none.
 *
 * @throws BugzillaError formatUnknown
 */
export function redirectToFormat(request: BugzillaRequest): GatewayResponse | undefined {
  const { ctype } = parseParameters(formatQuery, request.parameters);
  const format = ctype?.toLowerCase() ?? '';
  if (format === '' || format === 'html') return undefined;
  const location = FORMATS[request.path]?.[format];
  if (location === undefined) throw errors.formatUnknown(format);
  return redirect(`${location}?${queryText(request.parameters, isPassedOn)}`);
}

/** Returns the API explorer. */
export const getApiPage = pageEndpoint(API_PAGE, () => ({ title: NAME }));
