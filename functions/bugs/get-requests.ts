import { NamedValues, parseParameters } from '../../lib/base/parameters.ts';
import { compareNames, normalizeName } from '../../lib/base/text.ts';
import type { NamedFlag } from '../../lib/bugs/flags/schema.ts';
import { type PresentedFlag, presentedFlag } from '../../lib/bugs/flags/set-flags.ts';
import { requestsQuery } from '../../lib/bugs/requests.ts';
import { csvCell, shownAddress } from '../../lib/bugs/show/csv.ts';
import { userDetail } from '../../lib/bugs/show/presenter.ts';
import { errors } from '../../lib/errors.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ignoredHeader } from '../../lib/http/known-parameters.ts';
import { readFieldSelection } from '../../lib/http/read-field-selection.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { documentResponse } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { placeOf } from '../../lib/products/place.ts';
import type { FieldCondition } from '../../lib/search/conditions/conditions.ts';
import { readConditions } from '../../lib/search/conditions/parameters.ts';
import { flagsOf } from '../../lib/search/conditions/search-fields.ts';
import { andThen } from '../../lib/search/conditions/searched-bug.ts';
import { lookUp, searchOf } from './search-of.ts';
import type { BugServices } from './services.ts';

/** A flag with the bug, and perhaps the attachment, that has it. */
interface FlagRequest extends PresentedFlag {
  bug_id: number;
  summary: string;
  product: string;
  component: string;
  /** whether the bug is in groups */
  is_restricted: boolean;
  attachment_id?: number;
  attachment_summary?: string;
}

/** Parameters that are not those of the search. */
const OWN: ReadonlySet<string> = new Set(['action', ...Object.keys(requestsQuery.shape)]);
/** What the list shows of bugs. */
const NEEDED: ReadonlySet<string> = new Set(['summary', 'groups', 'product_id', 'component_id']);

/** What the lists are ordered by, before the time. */
const GROUPS: Readonly<Record<string, (one: FlagRequest) => readonly string[]>> = {
  requester: ({ setter }) => [setter],
  requestee: ({ requestee = '' }) => [requestee],
  category: ({ product, component }) => [product, component],
  type: ({ name }) => [name],
};

const STATUSES: ReadonlySet<string> = new Set(['?', '+', '-', '+-', 'all']);

/** Whether a request asks for a flag. @throws BugzillaError for an unknown status, and loginRequired for `%user%` without one */
async function readFlagFilter(request: BugzillaRequest): Promise<(flag: NamedFlag) => boolean> {
  const { type, status, do_union, ...people_ } = parseParameters(requestsQuery, request.parameters);
  const { user } = await request.caller;
  const [requester, requestee] = [people_.requester, people_.requestee].map((login) => {
    if (login !== '%user%') return login;
    if (user === undefined) throw errors.loginRequired();
    return user.login;
  });
  const wanted = status || '?';
  if (!STATUSES.has(wanted)) throw errors.flagStatusInvalid('', wanted);
  const isSame = (a: string, b: string) => normalizeName(a) === normalizeName(b);
  const people = [
    ...(requester ? [({ setter }: NamedFlag) => isSame(setter, requester)] : []),
    ...(requestee ? [(flag: NamedFlag) => isSame(flag.requestee ?? '-', requestee)] : []),
  ];
  return (flag) =>
    (wanted === 'all' || wanted.includes(flag.status)) &&
    (!type || type === 'all' || isSame(flag.name, type)) &&
    (do_union && people.length > 1 ? people.some((one) => one(flag)) : people.every((one) => one(flag)));
}

/** The flags that a request asks for, of the bugs that the caller sees, in order, with who is named by them. */
async function findRequests(request: BugzillaRequest, services: BugServices) {
  const isWanted = await readFlagFilter(request);
  const { group } = parseParameters(requestsQuery, request.parameters);
  const keysOf = GROUPS[group || 'requestee'];
  if (keysOf === undefined) {
    throw errors.parameterInvalid('group', `it is none of ${Object.keys(GROUPS).join(', ')}`);
  }
  request.parameters = new NamedValues([...request.parameters].filter(([name]) => !OWN.has(name)));
  const { context, parameters, ignored } = await searchOf(request, services);
  const found = new Map<number, Omit<FlagRequest, 'summary' | 'product' | 'component' | 'is_restricted'>[]>();
  const hasWanted: FieldCondition = {
    ...{ field: 'flagtypes.name', operator: 'substring', given: '', cost: 2 },
    test: (searched) =>
      andThen(flagsOf(searched), (flags) => {
        const wanted = flags
          ?.filter(({ flag }) => isWanted(flag))
          .map(({ flag, attachment }) => ({
            ...{ ...presentedFlag(flag), bug_id: searched.id },
            ...(attachment && { attachment_id: attachment.id, attachment_summary: attachment.summary }),
          }));
        found.set(searched.id, wanted ?? []);
        return wanted && wanted.length > 0;
      }),
  };
  const condition = { all: [readConditions(parameters, context), hasWanted] };
  await lookUp(context, services);
  const query = { condition, order: [], limit: undefined, offset: 0, needs: NEEDED };
  const { bugs, products } = await services.search.find(query, context);
  const requests = bugs
    .flatMap((bug): FlagRequest[] => {
      const { product, component } = placeOf(bug, products.get(bug.product_id));
      const about = { summary: bug.summary, product, component, is_restricted: bug.groups.length > 0 };
      return (found.get(bug.id) ?? []).map((one) => ({ ...one, ...about }));
    })
    .map((one) => ({ one, keys: [...keysOf(one), one.modification_date] }))
    .sort(
      (a, b) =>
        a.keys.map((key, at) => compareNames(key, b.keys[at] ?? '')).find(Boolean) ?? a.one.id - b.one.id,
    )
    .map(({ one }) => one);
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
