import * as z from 'zod/mini';
import {
  boolean,
  NamedValues,
  optional,
  parseParameters,
  queryText,
  text,
} from '../../lib/base/parameters.ts';
import { timestamp } from '../../lib/base/time.ts';
import { csvColumns, csvList, shownAddress } from '../../lib/bugs/show/csv.ts';
import { element, emptyTag, xmlText } from '../../lib/bugs/show/xml.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import { type BugzillaRequest, baseAddress, ignoredHeader } from '../../lib/http/request.ts';
import { documentResponse, type Endpoint } from '../../lib/http/response/gateway-response.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { searchParametersOf } from '../../lib/people/saved-searches/run-saved-search.ts';
import { OwnVisits } from '../../lib/search/conditions/own-visits.ts';
import { foundBugs } from './search-bugs.ts';
import type { BugServices } from './services.ts';

const csvQuery = z.object({ columnlist: optional(text), human: optional(boolean) });

/** Returns a list as CSV, as `/buglist.cgi?ctype=csv`. functions/bugs/README.md 3.9 */
export const listCsv: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  request.parameters = new NamedValues(
    await searchParametersOf(request.parameters, request.caller, services),
  );
  const { columnlist, human } = parseParameters(csvQuery, request.parameters);
  const [caller, { fields }] = await Promise.all([request.caller, services.bugSettings.read()]);
  const isTimeTracker = isInGroup(caller, services.settings.TIMETRACKING_GROUP);
  const { columns, unknown } = csvColumns(columnlist ?? undefined, fields, { isTimeTracker });
  const visits = new OwnVisits(caller);
  if (columns.some(({ name }) => name === 'last_visit_ts')) visits.require();
  const shown = ['id', ...columns.flatMap((column) => column.fields)].join(',');
  const [{ bugs, ignored }] = await Promise.all([
    foundBugs(searching(request, { include_fields: shown }), services),
    visits.lookUp(services.lastVisits),
  ]);
  const day = timestamp(services.now()).slice(0, 10);
  const reader = {
    ...{ isTimeTracker, hidesAddresses: caller.user === undefined },
    lastVisit: (bug: number) => visits.of(bug),
  };
  return documentResponse(request, csvList(bugs, columns, { isHuman: human === true, reader }), {
    ...ignoredHeader([...unknown.map((name) => `columnlist ${name}`), ...ignored]),
    'content-type': 'text/csv; charset=UTF-8',
    'content-disposition': `attachment; filename="bugs-${day}.csv"`,
  });
};

/** Entries of a feed where the request has no limit. */
const FEED_LIMIT = '100';

const feedBug = z.object({
  ...{ id: z.int(), summary: z.string(), last_change_time: z.string(), creator: z.string() },
  creator_detail: z.object({ real_name: z.string() }),
  ...{ product: z.string(), component: z.string(), status: z.string(), resolution: z.string() },
  ...{ assigned_to: z.string(), priority: z.string(), severity: z.string() },
});

/** The first bugs of a search with what a feed has of them. @param changed other parameters */
async function firstBugs(
  request: BugzillaRequest,
  services: BugServices,
  changed: Readonly<Record<string, string>> = {},
): Promise<z.output<typeof feedBug>[]> {
  const limit = request.parameters.has('limit') ? {} : { limit: FEED_LIMIT };
  const fields = { include_fields: Object.keys(feedBug.shape).join(',') };
  const { bugs } = await foundBugs(searching(request, { ...fields, ...changed, ...limit }), services);
  return z.array(feedBug).parse(bugs);
}

/** Returns the bugs of a search that changed last as a feed, as `/buglist.cgi?ctype=atom`. functions/bugs/README.md 3.9 */
export const listAtom: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const query = queryText(request.parameters, (name) => !OWN.has(name) && name !== 'order');
  const bugs = await firstBugs(request, services, { list_order: 'changeddate DESC' });
  const isCut = (await request.caller).user === undefined;
  const base = baseAddress(request);
  const list = `${base}buglist.cgi?${query}`;
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
    element('title', 'Bugless: bugs that changed'),
    emptyTag('link', { rel: 'alternate', type: 'text/html', href: list }),
    emptyTag('link', { rel: 'self', href: `${base}rest/bugless/list.atom?${query}` }),
    element('updated', bugs[0]?.last_change_time ?? timestamp(services.now())),
    element('id', list),
    ...bugs.map((bug) => entryOf(bug, base, isCut)),
    '</feed>\n',
  ];
  return documentResponse(request, parts.join('\n'), {
    'content-type': 'application/atom+xml; charset=UTF-8',
  });
};

function entryOf(bug: z.output<typeof feedBug>, base: string, isCut: boolean): string {
  const address = `${base}show_bug.cgi?id=${bug.id}`;
  const state = [bug.status, bug.resolution].filter(Boolean).join(' ');
  const summary = `${bug.product}, ${bug.component}: ${state}, ${bug.priority}, ${bug.severity}, assigned to ${shownAddress(bug.assigned_to, isCut) || 'nobody'}`;
  return [
    '<entry>',
    element('title', `[Bug ${bug.id}] ${bug.summary}`),
    emptyTag('link', { rel: 'alternate', type: 'text/html', href: address }),
    element('id', address),
    element('updated', bug.last_change_time),
    `<author>${element('name', bug.creator_detail.real_name || shownAddress(bug.creator, isCut))}</author>`,
    element('summary', summary, { type: 'text' }),
    '</entry>',
  ].join('\n');
}

/** The style of the pages, and the form that searches, as in page.html. */
const HTML_HEADERS = {
  'content-type': 'text/html; charset=UTF-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'",
};

/** Returns a list as HTML, for readers without scripts, who are led to it by `/buglist.cgi`. functions/bugs/README.md 2.5 */
export const listHtml: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const bugs = await firstBugs(request, services);
  const base = xmlText(baseAddress(request));
  const row = (bug: z.output<typeof feedBug>) => {
    const state = [bug.status, bug.resolution].filter(Boolean).join(' ');
    const cells = [state, bug.product, bug.component, bug.priority, bug.last_change_time.slice(0, 10)];
    return `<tr><td class="id">${bug.id}</td><td class="summary"><a href="${base}show_bug.cgi?id=${bug.id}" dir="auto">${xmlText(bug.summary)}</a></td>${cells.map((text) => element('td', text)).join('')}</tr>`;
  };
  const heads = ['ID', 'Summary', 'Status', 'Product', 'Component', 'Priority', 'Changed'];
  return documentResponse(
    request,
    `<!doctype html><html lang="en"><meta charset="UTF-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Bug list – Bugless</title>
<link rel="stylesheet" href="${base}explorer/design.css">
<header class="top"><a class="brand" href="${base}">Bugless</a><search class="find"><form action="${base}buglist.cgi"><input type="search" name="quicksearch" aria-label="Search bugs" placeholder="Number or words"></form></search></header>
<main><div class="head"><h1>Bugs</h1><span class="soft">${bugs.length}</span></div>
<table class="bugs"><thead><tr>${heads.map((head) => element('th', head, { scope: 'col' })).join('')}</tr></thead><tbody>
${bugs.map(row).join('')}
</tbody></table></main></html>
`,
    HTML_HEADERS,
  );
};

const orderQuery = z.object({ order: optional(text) });

/** Parameters of the formats themselves. */
const OWN = new Set([
  'ctype',
  'columnlist',
  'human',
  'count_only',
  'include_fields',
  'exclude_fields',
  'title',
]);

/** The request as the search of a list, with other parameters. */
function searching(request: BugzillaRequest, changed: Readonly<Record<string, string>>): BugzillaRequest {
  const order = parseParameters(orderQuery, request.parameters).order ?? '';
  const own: Readonly<Record<string, string>> = { list_order: order, ...changed };
  const kept = [...request.parameters].filter(
    ([name]) => name !== 'order' && !OWN.has(name) && !Object.hasOwn(own, name),
  );
  request.parameters = new NamedValues<unknown>([...kept, ...Object.entries(own)]);
  return request;
}
