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
  /** nobody's record has saved searches */
  hidesReader?: boolean;
}

/** An attachment as REST shows it. */
interface SimulatedAttachment {
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
      return ok({ fields: fieldsOf(content) });
    case 'group':
      return groupsOf(content, searchParams, caller);
    case 'valid_login':
      return ok({ result: caller !== anonymous && searchParams.get('login') === caller.login });
    case 'user':
      return usersOf(content, searchParams.getAll('ids').map(Number), caller);
    default:
      return errorResponse(404, 32614, `A REST API resource was not found for 'GET ${path}'.`);
  }
}

/** undefined: a wrong or revoked key */
function callerOf(
  { catalogue, firstUserId = 1 }: Content,
  key: string | undefined,
): Caller | { code: number; message: string } | undefined {
  if (key === undefined) return anonymous;
  const at = catalogue.users.findIndex(({ api_keys }) =>
    api_keys.some((one) => one.key === key && !one.revoked),
  );
  const user = catalogue.users[at];
  if (user?.disabled) return { code: 301, message: user.disabled };
  return user && { id: at + firstUserId, login: user.login, groups: new Set(user.groups) };
}

/** Users by id, as their fields depend on the caller. */
function usersOf(
  { catalogue, hiddenUsers = [], hidesReader, firstUserId = 1 }: Content,
  ids: number[],
  caller: Caller,
): SimulatedResponse {
  if (caller === anonymous) return errorResponse(401, 505, 'You must be logged in to look up users by id.');
  const isAdministrator = caller.groups.has('editusers');
  const found = catalogue.users
    .map((user, at) => ({ ...user, id: at + firstUserId }))
    .filter(({ id }) => ids.includes(id));
  const hidden = found.find(({ login }) => hiddenUsers.includes(login));
  if (hidden !== undefined)
    return errorResponse(401, 304, `You are not authorized to access user #${hidden.id}.`);
  const users = found.map(({ id, login, real_name, groups, disabled, email_enabled = true }) => {
    const isOneself = id === caller.id;
    const all = catalogue.groups.filter(({ name }) => groups.includes(name));
    return {
      ...{ id, real_name, name: login, email: login, can_login: !disabled },
      groups: isAdministrator || isOneself ? all : [],
      ...(isAdministrator ? { email_enabled, login_denied_text: disabled ?? '' } : {}),
      ...(isOneself && !hidesReader ? { saved_searches: [], saved_reports: [] } : {}),
    };
  });
  return ok({ users });
}

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
    .map((bug) => presentBug(bug, content));
}

function presentBug(bug: CompleteBug, { changed, hasOneAlias, catalogue, firstUserId = 1 }: Content): object {
  const detail = (login: string) => {
    const at = catalogue.users.findIndex((one) => one.login === login);
    return {
      id: at + firstUserId,
      name: login,
      email: login,
      real_name: catalogue.users[at]?.real_name ?? '',
    };
  };
  const { aliases, reporter, comments, history: _, id = 0, ...shown } = bug;
  const last = comments
    .map(({ creation_time }) => creation_time)
    .sort()
    .at(-1);
  return {
    ...shown,
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

function historiesOf({ catalogue }: Content, ids: number[], caller: Caller): SimulatedResponse {
  const bugs = catalogue.bugs.filter(({ id = 0 }) => ids.includes(id));
  const refused = bugs.find((bug) => !isVisible(bug, caller));
  if (refused !== undefined)
    return errorResponse(401, 102, `You are not authorized to access bug #${refused.id}.`);
  return ok({ bugs: bugs.map(({ id, aliases, history }) => ({ id, alias: aliases, history })) });
}

/** Whether a request selects a field of an attachment. */
type Selects = (field: string) => boolean;

function fieldsIn(query: URLSearchParams): Selects {
  const [included, excluded] = ['include_fields', 'exclude_fields'].map((name) =>
    query.get(name)?.split(','),
  );
  return (field) => (included?.includes(field) ?? true) && !excluded?.includes(field);
}

const selected = (attachment: SimulatedAttachment, selects: Selects) =>
  Object.fromEntries(Object.entries(attachment).filter(([field]) => selects(field)));

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

function fieldsOf({ catalogue: { field_values, keywords } }: Content): object[] {
  const named = (name: string, values: string[] = []) => ({
    name,
    display_name: name,
    type: 2,
    values: values.map((one) => ({ name: one })),
  });
  return [
    named('priority', field_values.priority),
    named('bug_severity', field_values.severity),
    named('rep_platform', field_values.platform),
    named('op_sys', field_values.op_sys),
    named('resolution', field_values.resolution),
    {
      ...named('keywords'),
      values: keywords.map(({ name, description }) => ({ name, description })),
    },
  ];
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
