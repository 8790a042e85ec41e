import * as z from 'zod/mini';
import { optional, parseParameters, text } from '../../lib/base/parameters.ts';
import { BUG_DTD } from '../../lib/bugs/show/bug-dtd.ts';
import { errors } from '../../lib/errors.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { missingPage, wantsPage } from '../../lib/http/response/error-page.ts';
import {
  COMMON_HEADERS,
  documentResponse,
  type Endpoint,
  redirect,
} from '../../lib/http/response/gateway-response.ts';
import { pageOfBugs } from './get-pages.ts';
import type { ExplorerServices } from './services.ts';

const query = z.object({ id: optional(text), product: optional(text) });

const search = (values: Readonly<Record<string, string>>): string => new URLSearchParams(values).toString();

/** Where what a page of Bugzilla shows is here, relative; undefined: nowhere. */
const LOCATIONS: Readonly<Record<string, (request: BugzillaRequest) => string | undefined>> = {
  '/index.cgi': () => './',
  '/describekeywords.cgi': () => 'query.cgi',
  '/showdependencytree.cgi': (request) => {
    const { id } = given(request);
    return id ? `show_bug.cgi?${search({ id })}` : './';
  },
  '/describecomponents.cgi': (request) => {
    const { product } = given(request);
    return product ? `buglist.cgi?${search({ product, bug_status: '__open__' })}` : './';
  },
};

const given = ({ parameters }: BugzillaRequest) => parseParameters(query, parameters);

/** Leads from a page of Bugzilla to what there is here: by a redirect, or, where there is nothing, by words. functions/README.md 8 */
export const getFormerPage: Endpoint<ExplorerServices> = async (request, services) => {
  const isHelp = request.path === '/page.cgi' && given(request).id?.startsWith('quicksearch') === true;
  if (isHelp) return pageOfBugs(request, services);
  if (request.path === '/page.cgi' && given(request).id === 'bugzilla.dtd') {
    return documentResponse(request, BUG_DTD, { 'content-type': 'application/xml-dtd; charset=UTF-8' });
  }
  const location = LOCATIONS[request.path]?.(request);
  if (location !== undefined) return redirect(location);
  if (!wantsPage(request)) throw errors.routeUnknown('GET', request.path);
  return missingPage(request);
};

/** Bugs may be indexed; lists, formats and the interface are left alone. */
const ROBOTS = `User-agent: *
Allow: /$
Allow: /index.cgi
Allow: /show_bug.cgi
Disallow: /*ctype=
Disallow: /
`;

/** Returns what search engines may read. */
export const getRobots: Endpoint<ExplorerServices> = async () => ({
  statusCode: 200,
  headers: { ...COMMON_HEADERS, 'content-type': 'text/plain; charset=UTF-8' },
  body: ROBOTS,
  isBase64Encoded: false,
});
