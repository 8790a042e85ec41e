import type { CompleteBug, CompleteCatalogue, CompleteProduct } from './complete-catalogue.ts';

/** The content of a simulated Bugzilla. */
export interface Content {
  catalogue: CompleteCatalogue;
  /** last changes of bugs other than by comments */
  changed: Map<number, string>;
  /** by the ids of their bugs; no comment needs to name one, as after `importxml.pl` */
  attachments: Map<number, SimulatedAttachment[]>;
  /** a request for a part of several bugs returns that of the first one */
  readsOneBug?: boolean;
  /** limits a search, whatever limit is requested */
  maxPageSize: number;
  /** `alias` is a string, as in older versions */
  hasOneAlias?: boolean;
  /** requests without an API key are refused */
  requiresLogin?: boolean;
  /** a key is read as a header, too, as by Mozilla's Bugzilla */
  readsHeader?: boolean;
  /** logins whom others may not see: `usevisibilitygroups` */
  hiddenUsers?: string[];
  /** the ids of users are consecutive; 1 by default */
  firstUserId?: number;
  /** ids of users, by login, where they are not consecutive */
  userIds?: Record<string, number>;
  /** users that a list of those that match a text has at most; 1,000 by default */
  maxUserMatches?: number;
  /** nobody's record has saved searches */
  hidesReader?: boolean;
  /** the parameters that those in tweakparams see */
  parameters?: Record<string, string>;
  /** values of fields that depend on another field, by the names of both */
  dependentValues?: { field: string; value_field: string; value: string }[];
}

/** An attachment as REST shows it. */
export interface SimulatedAttachment {
  id: number;
  /** base64; null: it was deleted */
  data: string | null;
  is_private: number;
  [field: string]: unknown;
}

export interface SimulatedResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  body: any;
}

interface Caller {
  id: number;
  login: string;
  groups: ReadonlySet<string>;
}

const anonymous: Caller = { id: 0, login: '', groups: new Set() };

const ok = (body: object): SimulatedResponse => ({ status: 200, body });
const errorResponse = (status: number, code: number, message: string): SimulatedResponse => ({
  status,
  body: { error: true, code, message, documentation: 'https://bugzilla.readthedocs.org/en/5.2/api/' },
});

/** Responds as Bugzilla 5.2 (see test/reference/examples.jsonl) to the requests of an import. */
export function simulateResponse(
  content: Content,
  target: string,
  key: string | undefined,
): SimulatedResponse {
  const { pathname, searchParams } = new URL(target, 'http://bugzilla.example');
  const path = pathname.replace(/^\/rest\//, '');
  const caller = callerOf(content, key);
  if (path === 'version') return ok({ version: '5.2+' });
  if (caller === undefined) return errorResponse(400, 306, `The API key ${key} is invalid.`);
  if ('code' in caller) return errorResponse(401, caller.code, caller.message);
  if (content.requiresLogin && caller === anonymous) return errorResponse(401, 410, 'You must log in.');
  const only = /^bug\/(\d+)$/.exec(path);
  if (only !== null) return bugOf(content, Number(only[1]), caller);
  const bug = /^bug\/(\d+)\/(comment|history|attachment)$/.exec(path);
  if (bug?.[2] === 'comment') return commentsOf(content, Number(bug[1]), caller);
  if (bug !== null) {
    const others = content.readsOneBug ? [] : searchParams.getAll('ids');
    const ids = [bug[1] ?? '', ...others].map(Number);
    if (bug[2] === 'history') return historiesOf(content, ids, caller);
    return attachmentsOf(content, ids, fieldsIn(searchParams), caller);
  }
  const attachment = /^bug\/attachment\/(\d+)$/.exec(path);
  if (attachment !== null)
    return attachmentOf(content, Number(attachment[1]), fieldsIn(searchParams), caller);
  const { products } = content.catalogue;
  switch (path) {
    case 'product_accessible':
      return ok({
        ids: idsOf(products, (one) => isSelectable(one, caller) || isEnterable(one, caller)).map(String),
      });
    case 'product_selectable':
      return ok({ ids: idsOf(products, (one) => isSelectable(one, caller)) });
    case 'product_enterable':
      return ok({ ids: idsOf(products, (one) => isEnterable(one, caller)) });
    case 'product':
      return ok({ products: productsOf(content, searchParams, caller) });
    case 'bug':
      return ok({ bugs: bugsOf(content, searchParams, caller), faults: [] });
    case 'field/bug':
      return ok({ fields: fieldsOf(content, searchParams.getAll('names')) });
    case 'group':
      return groupsOf(content, searchParams, caller);
    case 'valid_login':
      return ok({ result: caller !== anonymous && searchParams.get('login') === caller.login });
    case 'user':
      return usersOf(content, searchParams, caller);
    case 'parameters':
      return ok({ parameters: caller.groups.has('tweakparams') ? (content.parameters ?? {}) : {} });
    default:
      return errorResponse(404, 32614, `A REST API resource was not found for 'GET ${path}'.`);
  }
}

/** undefined: a wrong or revoked key */
function callerOf(
  content: Content,
  key: string | undefined,
): Caller | { code: number; message: string } | undefined {
  if (key === undefined) return anonymous;
  const user = content.catalogue.users.find(({ api_keys }) =>
    api_keys.some((one) => one.key === key && !one.revoked),
  );
  if (user?.disabled) return { code: 301, message: user.disabled };
  return user && { id: userId(content, user.login), login: user.login, groups: new Set(user.groups) };
}

function userId({ catalogue, firstUserId = 1, userIds = {} }: Content, login: string): number {
  return userIds[login] ?? catalogue.users.findIndex((one) => one.login === login) + firstUserId;
}

/** Users by id, as their fields depend on the caller. */
function usersOf(content: Content, query: URLSearchParams, caller: Caller): SimulatedResponse {
  const { catalogue, hiddenUsers = [], hidesReader, maxUserMatches = 1_000 } = content;
  const ids = query.getAll('ids').map(Number);
  const match = query.get('match')?.toLowerCase();
  if (caller === anonymous) return errorResponse(401, 505, 'You must be logged in to look up users by id.');
  const isAdministrator = caller.groups.has('editusers');
  const found = catalogue.users
    .map((user) => ({ ...user, id: userId(content, user.login) }))
    .filter(({ id, login }) => (match === undefined ? ids.includes(id) : isMatch(login, match)))
    .slice(0, match === undefined ? undefined : maxUserMatches);
  const hidden = found.find(({ login }) => hiddenUsers.includes(login));
  if (hidden !== undefined)
    return errorResponse(401, 304, `You are not authorized to access user #${hidden.id}.`);
  const users = found.map((user) => {
    const { id, login, real_name, groups, disabled, email_enabled = true } = user;
    const isOneself = id === caller.id;
    const all = catalogue.groups.filter(({ name }) => groups.includes(name));
    return {
      ...{ id, real_name, name: login, email: login, can_login: !disabled },
      groups: isAdministrator || isOneself ? all : [],
      ...(isAdministrator ? { email_enabled, login_denied_text: disabled ?? '' } : {}),
      ...(isOneself && !hidesReader ? { saved_searches: user.saved_searches, saved_reports: [] } : {}),
    };
  });
  return ok({ users });
}

/** As Bugzilla::User::match with a wildcard at the end. */
const isMatch = (login: string, match: string): boolean =>
  match.endsWith('*') && login.toLowerCase().startsWith(match.slice(0, -1));

function bugOf({ catalogue }: Content, id: number, caller: Caller): SimulatedResponse {
  const bug = catalogue.bugs.find((one) => one.id === id);
  if (bug === undefined) return errorResponse(404, 101, `Bug #${id} does not exist.`);
  if (!isVisible(bug, caller)) return errorResponse(401, 102, `You are not authorized to access bug #${id}.`);
  return ok({ bugs: [{ id }], faults: [] });
}

const idsOf = (products: CompleteProduct[], isWanted: (one: CompleteProduct) => boolean) =>
  products.filter(isWanted).map(({ id = 0 }) => id);

const isSelectable = ({ group_controls }: CompleteProduct, { groups }: Caller) =>
  group_controls.every(({ group, membercontrol }) => membercontrol !== 'MANDATORY' || groups.has(group));

const isEnterable = (
  { is_active, components, versions, group_controls }: CompleteProduct,
  { groups }: Caller,
) =>
  is_active &&
  components.some((one) => one.is_active) &&
  versions.some((one) => one.is_active) &&
  group_controls.every(({ group, entry }) => !entry || groups.has(group));

function productsOf({ catalogue }: Content, query: URLSearchParams, caller: Caller): object[] {
  const ids = query.getAll('ids').map(Number);
  const names = query.getAll('names').map((name) => name.toLowerCase());
  return catalogue.products
    .filter((one) => ids.includes(one.id ?? 0) || names.includes(one.name.toLowerCase()))
    .filter((one) => isSelectable(one, caller) || isEnterable(one, caller))
    .map((one) => presentProduct(one, catalogue));
}

function presentProduct(product: CompleteProduct, { groups }: CompleteCatalogue): object {
  const { group_controls: _, flag_types, components, ...shown } = product;
  const idOf = (group: string | null) => groups.find(({ name }) => name === group)?.id ?? null;
  const flagTypesOf = (component: string, wanted: string) =>
    flag_types
      .filter(({ target, components: using }) => target === wanted && (using?.includes(component) ?? true))
      .map(({ target: __, components: ___, cc_list, grant_group, request_group, ...type }) => ({
        ...type,
        cc_list: cc_list.join(', '),
        grant_group: idOf(grant_group),
        request_group: idOf(request_group),
      }));
  return {
    ...shown,
    components: components.map((one) => ({
      ...one,
      flag_types: { bug: flagTypesOf(one.name, 'bug'), attachment: flagTypesOf(one.name, 'attachment') },
    })),
  };
}

function isVisible({ groups, reporter, assigned_to, qa_contact, cc }: CompleteBug, caller: Caller): boolean {
  const users = [reporter, assigned_to, qa_contact, ...cc];
  return (
    groups.every((group) => caller.groups.has(group)) ||
    (caller !== anonymous && users.includes(caller.login))
  );
}

function bugsOf(content: Content, query: URLSearchParams, caller: Caller): object[] {
  const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit')) || 10_000];
  const ids = query.get('id')?.split(',').map(Number);
  const [from, to] = [Number(query.get('v1') ?? 0), Number(query.get('v2') ?? 1e9)];
  return content.catalogue.bugs
    .filter(({ product }) => [null, product].includes(query.get('product')))
    .filter(({ id = 0 }) => id >= from && id <= to && (ids?.includes(id) ?? true))
    .filter((bug) => isVisible(bug, caller))
    .sort((a, b) => (a.id ?? 0) - (b.id ?? 0))
    .slice(offset, offset + Math.min(limit, content.maxPageSize))
    .map((bug) => presentBug(bug, content, caller));
}

function presentBug(bug: CompleteBug, content: Content, caller: Caller): object {
  const { changed, hasOneAlias, catalogue } = content;
  const detail = (login: string) => {
    const user = catalogue.users.find((one) => one.login === login);
    return { id: userId(content, login), name: login, email: login, real_name: user?.real_name ?? '' };
  };
  const { aliases, reporter, comments, history: _, id = 0, custom, ...shown } = bug;
  const last = comments
    .map(({ creation_time }) => creation_time)
    .sort()
    .at(-1);
  const hours = {
    estimated_time: bug.estimated_time ?? 0,
    remaining_time: bug.remaining_time ?? 0,
    actual_time: comments.reduce((sum, { work_time }) => sum + work_time, 0),
  };
  return {
    ...shown,
    ...custom,
    // Bugzilla::User::is_timetracker
    ...(caller.groups.has('timetrackers') ? hours : {}),
    id,
    alias: hasOneAlias ? (aliases[0] ?? null) : aliases,
    creator: reporter,
    creator_detail: detail(reporter),
    assigned_to_detail: detail(bug.assigned_to),
    cc_detail: bug.cc.map(detail),
    creation_time: comments[0]?.creation_time ?? changed.get(id),
    last_change_time: changed.get(id) ?? [last ?? '', bug.last_change_time ?? ''].sort().at(-1),
  };
}

const TIME_FIELDS = new Set(['estimated_time', 'remaining_time', 'work_time', 'deadline']);

function historiesOf({ catalogue }: Content, ids: number[], caller: Caller): SimulatedResponse {
  const bugs = catalogue.bugs.filter(({ id = 0 }) => ids.includes(id));
  const refused = bugs.find((bug) => !isVisible(bug, caller));
  if (refused !== undefined)
    return errorResponse(401, 102, `You are not authorized to access bug #${refused.id}.`);
  // Bugzilla::Bug::get_activity
  const isShown = ({ field_name }: { field_name: string }) =>
    caller.groups.has('timetrackers') || !TIME_FIELDS.has(field_name);
  const shown = (history: CompleteBug['history']) =>
    history
      .map((entry) => ({ ...entry, changes: entry.changes.filter(isShown) }))
      .filter(({ changes }) => changes.length > 0);
  return ok({
    bugs: bugs.map(({ id, aliases, history }) => ({ id, alias: aliases, history: shown(history) })),
  });
}

/** Whether a request selects a field of an attachment. */
type Selects = (field: string) => boolean;

function fieldsIn(query: URLSearchParams): Selects {
  const [included, excluded] = ['include_fields', 'exclude_fields'].map((name) =>
    query.get(name)?.split(','),
  );
  return (field) => (included?.includes(field) ?? true) && !excluded?.includes(field);
}

const selected = (attachment: SimulatedAttachment, selects: Selects) => {
  const size = Buffer.from(attachment.data ?? '', 'base64').length;
  return Object.fromEntries(Object.entries({ size, ...attachment }).filter(([field]) => selects(field)));
};

/** As Bugzilla::WebService::Bug: one bug that the caller may not see fails the request. */
function attachmentsOf(content: Content, ids: number[], selects: Selects, caller: Caller): SimulatedResponse {
  const refused = ids.map((id) => bugOf(content, id, caller)).find(({ status }) => status !== 200);
  if (refused !== undefined) return refused;
  const shown = (id: number) =>
    (content.attachments.get(id) ?? []).filter((one) => !one.is_private || caller.groups.has('insiders'));
  return ok({
    bugs: Object.fromEntries(ids.map((id) => [id, shown(id).map((one) => selected(one, selects))])),
    attachments: {},
  });
}

function attachmentOf(content: Content, id: number, selects: Selects, caller: Caller): SimulatedResponse {
  const [bug = 0] =
    [...content.attachments].find(([, all]) => all.some((one) => one.id === id))?.map(Number) ?? [];
  const attachment = content.attachments.get(bug)?.find((one) => one.id === id);
  if (attachment === undefined) return ok({ bugs: {}, attachments: {} });
  const { status } = bugOf(content, bug, caller);
  if (status !== 200 || (attachment.is_private && !caller.groups.has('insiders')))
    return errorResponse(401, 304, `You are not authorized to access attachment #${id}.`);
  return ok({ bugs: {}, attachments: { [id]: selected(attachment, selects) } });
}

function fieldsOf({ catalogue, dependentValues = [] }: Content, names: readonly string[]): object[] {
  const { field_values, keywords, bug_fields } = catalogue;
  const dependent = new Map(dependentValues.map((one) => [`${one.field} ${one.value}`, one.value_field]));
  const named = (name: string, values: string[] = []) => ({
    ...{ name, display_name: name, type: 2 },
    value_field: dependentValues.find(({ field }) => field === name)?.value_field ?? null,
    values: values.map((value) => ({
      name: value,
      visibility_values: dependent.has(`${name} ${value}`) ? ['Some'] : [],
    })),
  });
  const custom = bug_fields.map(
    ({ values = [], is_obsolete: _, visibility_field = null, ...definition }) => ({
      ...{ is_custom: true, visibility_field, ...definition },
      values: values.map(({ name, sort_key }) => ({ name, sort_key, visibility_values: [] })),
    }),
  );
  const all = [
    named('priority', field_values.priority),
    named('bug_severity', field_values.severity),
    named('rep_platform', field_values.platform),
    named('op_sys', field_values.op_sys),
    named('resolution', field_values.resolution),
    ...(field_values.bug_status === undefined
      ? []
      : [
          {
            ...named('bug_status'),
            values: field_values.bug_status.map(({ is_active: _, ...status }) => status),
          },
        ]),
    {
      ...named('keywords'),
      values: keywords.map(({ name, description }) => ({ name, description })),
    },
    ...custom,
  ];
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}

function commentsOf({ catalogue }: Content, id: number, caller: Caller): SimulatedResponse {
  const bug = catalogue.bugs.find((one) => one.id === id);
  if (bug === undefined) return errorResponse(404, 101, `Bug #${id} does not exist.`);
  if (!isVisible(bug, caller)) return errorResponse(401, 102, `You are not authorized to access bug #${id}.`);
  const comments = bug.comments
    .map(({ work_time: _, creation_time, tags, ...comment }) => ({
      ...comment,
      bug_id: id,
      tags: tags.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
      creation_time,
      time: creation_time,
      // Bugzilla numbers comments of the same second equally.
      count: bug.comments.filter((other) => other.creation_time < creation_time).length,
    }))
    .filter(({ is_private }) => !is_private || caller.groups.has('insiders'));
  return ok({ bugs: { [id]: { comments } }, comments: {} });
}

function groupsOf({ catalogue }: Content, query: URLSearchParams, caller: Caller): SimulatedResponse {
  if (!caller.groups.has('creategroups'))
    return errorResponse(400, 805, 'You are not authorized to see groups.');
  const wanted = new Set([...query.getAll('ids'), ...query.getAll('names')]);
  return ok({
    groups: catalogue.groups.filter(({ id, name }) => wanted.has(String(id)) || wanted.has(name)),
  });
}
