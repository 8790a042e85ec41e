import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { NamedValues, parseParameters } from '../../lib/base/parameters.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { requestsQuery } from '../../lib/bugs/requests.ts';
import { csvCell, shownAddress } from '../../lib/bugs/show/csv.ts';
import { userDetail } from '../../lib/bugs/show/presenter.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import { type BugzillaRequest, ignoredHeader } from '../../lib/http/request.ts';
import { documentResponse, type Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { readConditions } from '../../lib/search/conditions/parameters.ts';
import { flagSearch } from '../../lib/search/flag-requests.ts';
import { lookUp, searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

/** Parameters that are not those of the search. */
const OWN: ReadonlySet<string> = new Set(['action', ...Object.keys(requestsQuery.shape)]);

/** The flags that a request asks for, of the bugs that the caller sees, in order, with who is named by them. */
async function findRequests(request: BugzillaRequest, services: BugServices) {
  const findFlags = flagSearch(parseParameters(requestsQuery, request.parameters), await request.caller);
  request.parameters = new NamedValues([...request.parameters].filter(([name]) => !OWN.has(name)));
  const { context, parameters, ignored } = await searchOf(request, services);
  const condition = readConditions(parameters, context);
  await lookUp(context, services);
  const requests = await findFlags(condition, (query) => services.search.find(query, context));
  const logins = requests.flatMap(({ setter, requestee }) => [setter, requestee ?? []].flat());
  return {
    ...{ requests, ignored, users: await services.users.shownByLogins(new Set(logins)) },
    isAnonymous: context.caller.user === undefined,
  };
}

/** Returns flags of bugs and attachments: without other parameters those that are requested. functions/bugs/README.md 7 */
export const getRequests: Endpoint<BugServices> = async (request, services) => {
  const fields = readFieldSelection(request.parameters);
  const { requests, users, ignored } = await findRequests(request, services);
  const shown = requests.map((one) =>
    fields.pick({
      ...one,
      setter_detail: userDetail(one.setter, users),
      ...(one.requestee === undefined ? {} : { requestee_detail: userDetail(one.requestee, users) }),
    }),
  );
  return ok({ requests: shown }, ignoredHeader(ignored()));
};

const HEADINGS = [
  ...['Requester', 'Requestee', 'Flag', 'Status', 'Bug ID', 'Summary', 'Attachment ID'],
  ...['Attachment Description', 'Created', 'Product: Component'],
];

/** Returns the same as CSV, as `/request.cgi?ctype=csv`. */
export const requestsCsv: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const { requests, users, ignored, isAnonymous } = await findRequests(request, services);
  const person = (login: string | undefined) => {
    const address = shownAddress(login, isAnonymous);
    const name = users.get(normalizeName(login ?? ''))?.real_name;
    return name ? `${name} <${address}>` : address;
  };
  const rows = requests.map((one) => [
    ...[person(one.setter), person(one.requestee), one.name, one.status, String(one.bug_id), one.summary],
    ...[String(one.attachment_id ?? ''), one.attachment_summary ?? ''],
    `${one.modification_date.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' ')} UTC`,
    `${one.product}: ${one.component}`,
  ]);
  const text = [HEADINGS, ...rows].map((row) => row.map(csvCell).join(',')).join('\n');
  return documentResponse(request, text, {
    ...ignoredHeader(ignored()),
    'content-type': 'text/csv; charset=UTF-8',
    'content-disposition': 'attachment; filename="requests.csv"',
  });
};
