import { bugNamed, findBug, isVisible } from './bug-visibility.ts';
import { addComment, tidied } from './comment-rules.ts';
import { start } from './initial-catalogue.ts';
import type { Given } from './model.ts';
import { takesBugs } from './product-rules.ts';
import { type Caller, flag, list, pick, Refusal, requireLogin, text } from './send-request.ts';
import { type Bug, byId, normalized, type Product, same, sorted, type World } from './world.ts';

export const productOf = ({ products }: World, bug: Bug): Product | undefined =>
  products.find(({ id }) => id === bug.product);

/** The time of the last change or comment. */
export const lastChange = ({ changed, comments }: Bug): string => {
  const last = comments.at(-1)?.time ?? '';
  return last > changed ? last : changed;
};

function detail(login: string) {
  const user = start.users.find((one) => one.login === login);
  return { id: user?.id, name: login, real_name: user?.real_name, email: login };
}

function presentBug(world: World, bug: Bug, caller: Caller) {
  const { hours_worked, hours_left, comments, changed, history, ...shown } = bug;
  const product = productOf(world, bug);
  const groupsOfUsers = { creator: bug.creator, assigned_to: bug.assigned_to, qa_contact: bug.qa_contact };
  const details = Object.entries(groupsOfUsers).filter(([, login]) => login !== '');
  const times = { estimated_time: 0, remaining_time: hours_left, actual_time: hours_worked };
  const [cc, groups, alias] = [bug.cc, bug.groups, bug.alias].map((names) => sorted(names, normalized));
  return {
    ...{ ...shown, cc, groups, alias },
    product: product?.name,
    classification: product?.classification,
    is_open: bug.status !== 'RESOLVED',
    creation_time: comments[0]?.time,
    last_change_time: lastChange(bug),
    cc_detail: cc?.map(detail),
    ...Object.fromEntries(details.map(([role, login]) => [`${role}_detail`, detail(login)])),
    ...(caller.groups.includes('timetrackers') ? times : {}),
    ...{ dupe_of: null, priority: '---', severity: 'enhancement', platform: 'All', op_sys: 'All' },
    ...{ keywords: [], url: '', see_also: [], blocks: [], depends_on: [], deadline: null, flags: [] },
    ...{ is_creator_accessible: true, is_cc_accessible: true },
  };
}

export function getBug(world: World, caller: Caller, { path, parameters }: Given) {
  const bug = findBug(world, caller, path['id_or_alias'] ?? '');
  return { bugs: [pick(presentBug(world, bug, caller), parameters['include_fields'])], faults: [] };
}

/** Changes of hours are visible to time trackers only. */
export function getHistory(world: World, caller: Caller, { path }: Given) {
  const { id, alias, history } = findBug(world, caller, path['id_or_alias'] ?? '');
  const isHidden = (name: string) =>
    ['work_time', 'remaining_time'].includes(name) && !caller.groups.includes('timetrackers');
  const shown = history.flatMap(({ changes, ...change }) => {
    const left = changes.filter(({ field_name }) => !isHidden(field_name));
    return left.length === 0 ? [] : [{ ...change, changes: left }];
  });
  return { bugs: [{ id, alias, history: shown }] };
}

/** Non-empty names, deduplicated ignoring case. */
export const once = (names: string[]) =>
  names.filter((name, place) => name !== '' && names.findIndex((other) => same(other, name)) === place);

const STATUSES = ['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED'];

/** Bugs that the caller may not see are omitted. */
export function searchBugs(world: World, caller: Caller, { parameters }: Given) {
  const words = (name: string) =>
    list(parameters[name])
      .flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter(Boolean);
  const isAmong = (name: string, ...values: string[]) =>
    words(name).length === 0 || words(name).some((word) => values.some((value) => same(value, word)));
  // Statuses that do not exist are ignored.
  const statuses = words('status').filter((word) => STATUSES.some((status) => same(status, word)));
  const found = world.bugs
    .filter((bug) => isVisible(bug, caller))
    .filter(({ id }) => isAmong('id', String(id)))
    .filter(({ alias }) => isAmong('alias', ...alias))
    .filter((bug) => isAmong('product', productOf(world, bug)?.name ?? ''))
    .filter(({ status }) => statuses.length === 0 || statuses.some((one) => same(one, status)));
  const bugs = found.map((bug) => presentBug(world, bug, caller));
  return { bugs: bugs.slice(0, Number(parameters['limit'] ?? 0) || undefined) };
}

/** A part of a product by name, ignoring case. */
function partNamed<T extends { name: string }>(parts: T[], name: string): T {
  const part = parts.find((one) => same(one.name, name.trim()));
  if (part === undefined) throw new Refusal(404, 51);
  return part;
}

export function createBug(world: World, caller: Caller, { parameters, generated }: Given) {
  requireLogin(caller);
  const wanted = (name: string) => text(parameters[name]) ?? '';
  const isPrivate = flag(parameters['comment_is_private']) ?? false;
  const product = world.products.find(({ name }) => same(name, wanted('product')));
  if (product === undefined || !takesBugs(product, caller)) throw new Refusal(401, 106);
  if (product.components.length === 0) throw new Refusal(400, 32000);
  if (isPrivate && !caller.groups.includes('insiders')) throw new Refusal(401, 113);
  const component = partNamed(product.components, wanted('component'));
  const version = partNamed(product.versions, wanted('version')).name;
  const mayAssign = caller.groups.includes('editbugs');
  const [assignee = '', qaContact = ''] = ['assigned_to', 'qa_contact'].map((role) =>
    mayAssign ? loginOf(wanted(role)) : '',
  );
  const cc = once(list(parameters['cc']).map((one) => loginOf(one)));
  const alias = once(list(parameters['alias']));
  if (alias.some((one) => bugNamed(world, one))) throw new Refusal(400, 103);

  const isConfirmed = ['canconfirm', 'editbugs'].some((group) => caller.groups.includes(group));
  const status = isConfirmed || !product.has_unconfirmed ? 'CONFIRMED' : 'UNCONFIRMED';
  const isGiven = ({ membercontrol, group }: Product['group_controls'][number]) =>
    membercontrol === 'MANDATORY' || (membercontrol === 'DEFAULT' && caller.groups.includes(group));
  const bug: Bug = {
    ...{
      id: generated.id ?? -1,
      alias,
      product: product.id,
      component: component.name,
      version,
      summary: wanted('summary'),
      cc,
    },
    ...{ creator: caller.login, target_milestone: product.default_milestone, whiteboard: '' },
    assigned_to: assignee || String(component.default_assigned_to),
    qa_contact: qaContact || String(component.default_qa_contact),
    groups: product.group_controls.filter(isGiven).map(({ group }) => group),
    ...{ status, is_confirmed: status === 'CONFIRMED', resolution: '' },
    ...{ hours_worked: 0, hours_left: 0, comments: [], changed: '', history: [] },
  };
  world.bugs = sorted([...world.bugs, bug], byId);
  addComment(
    bug,
    { text: tidied(wanted('description')), creator: caller.login, is_private: isPrivate, hours: 0 },
    generated,
  );
  return { id: bug.id };
}

/** The stored spelling of a login; '' stays ''. */
export const loginOf = (given: string): string =>
  start.users.find(({ login }) => same(login, given.trim()))?.login ?? '';
