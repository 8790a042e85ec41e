import { bugNamed, findBug, isVisible } from './bug-visibility.ts';
import { addComment, checkComment, tidied } from './comment-rules.ts';
import type { Given } from './model.ts';
import { isEnterable } from './product-rules.ts';
import {
  atMost,
  type Caller,
  flag,
  isDigits,
  list,
  mustLogIn,
  needed,
  pick,
  Refusal,
  text,
} from './send-request.ts';
import { start } from './start.ts';
import { type Bug, byId, same, sorted, type World } from './world.ts';

function presentBug(world: World, { hours_worked, comments, ...bug }: Bug) {
  return {
    ...bug,
    product: world.products.find(({ id }) => id === bug.product)?.name,
    creation_time: comments[0]?.time,
    last_change_time: comments.at(-1)?.time,
    is_open: bug.status !== 'RESOLVED',
  };
}

export function getBug(world: World, caller: Caller, { path, parameters }: Given) {
  const bug = findBug(world, caller, path['id_or_alias'] ?? '');
  return { bugs: [pick(presentBug(world, bug), parameters['include_fields'])], faults: [] };
}

/** Names that say something, each once in whatever case. */
const once = (names: string[]) =>
  names.filter((name, place) => name !== '' && names.findIndex((other) => same(other, name)) === place);

/** As in any search, what the caller may not see is left out. */
export function listBugs(world: World, caller: Caller, { parameters }: Given) {
  const ids = [...list(parameters['id']), ...list(parameters['ids'])].flatMap((one) => one.split(','));
  const named = [...ids, ...list(parameters['alias'])];
  if (named.length === 0) throw new Refusal(400, 50);
  const limit = text(parameters['limit']) ?? '';
  if (limit !== '' && !isDigits(limit)) throw new Refusal(400, 52);
  const bugs = named.flatMap((one) => bugNamed(world, one) ?? []).filter((bug) => isVisible(bug, caller));
  const views = sorted([...new Set(bugs)], byId).map((bug) => presentBug(world, bug));
  return { bugs: views.slice(0, Number(limit) || undefined), faults: [] };
}

export function createBug(world: World, caller: Caller, { parameters, learned }: Given) {
  mustLogIn(caller);
  const wanted = (name: string) => text(parameters[name])?.trim() ?? '';
  const product = world.products.find(({ name }) => same(name, wanted('product')));
  if (product === undefined || !isEnterable(product, caller)) throw new Refusal(401, 106);
  const component = product.components.find((one) => one.is_active && one.name === wanted('component'));
  if (component === undefined) throw new Refusal(400, 105);
  const version = needed(wanted('version'), 50);
  if (!product.versions.some((one) => one.is_active && one.name === version)) throw new Refusal(404, 51);
  const summary = atMost(255, needed(wanted('summary'), 107), 107);
  const alias = once(list(parameters['alias']).map((one) => one.trim()));
  if (alias.some((one) => isDigits(one) || /[\s,]/.test(one))) throw new Refusal(400, 103);
  const is_private = flag(parameters['comment_is_private']) ?? false;
  if (is_private && !caller.groups.includes('insiders')) throw new Refusal(401, 113);
  const people = {
    assigned_to: person(text(parameters['assigned_to']) ?? component.default_assigned_to),
    qa_contact: person(text(parameters['qa_contact']) ?? component.default_qa_contact),
    cc: once(list(parameters['cc']).map(person)),
  };
  if (alias.some((one) => bugNamed(world, one))) throw new Refusal(400, 103);

  const isConfirmed = caller.groups.includes('canconfirm') || !product.has_unconfirmed;
  const controls = product.group_controls.filter(({ membercontrol }) =>
    ['MANDATORY', 'DEFAULT'].includes(membercontrol),
  );
  const bug: Bug = {
    ...{ id: learned.id ?? -1, alias, product: product.id, component: component.name, version, summary },
    ...{ creator: caller.login, ...people },
    groups: controls.map(({ group }) => group),
    status: isConfirmed ? 'CONFIRMED' : 'UNCONFIRMED',
    hours_worked: 0,
    comments: [],
  };
  world.bugs = sorted([...world.bugs, bug], byId);
  const description = tidied(text(parameters['description']) ?? '');
  addComment(bug, { text: description, creator: caller.login, is_private, hours: 0 }, learned);
  return { id: bug.id };
}

/** A login in its own spelling; nobody: nobody. */
function person(given: string): string {
  if (given.trim() === '') return '';
  const user = start.users.find(({ login }) => same(login, given.trim()));
  if (user === undefined) throw new Refusal(400, 504);
  return user.login;
}

/** Comments on bugs, as several clients do it; every other change is refused. */
export function updateBugs(world: World, caller: Caller, { path, parameters, learned }: Given) {
  mustLogIn(caller);
  const known = ['ids', 'comment', 'work_time', 'minor_update'];
  if (Object.keys(parameters).some((name) => !known.includes(name))) throw new Refusal(400, 53);
  const { comment, work_time } = parameters;
  const isWithin = comment !== null && typeof comment === 'object' && !Array.isArray(comment);
  const { body, is_private }: { body?: unknown; is_private?: unknown } = isWithin
    ? comment
    : { body: comment };
  const given = { comment: body, is_private, work_time };
  const checked = [path['id_or_alias'] ?? '', ...list(parameters['ids'])].map((name) =>
    checkComment(world, caller, name, given),
  );
  const bugs = new Map(checked.map(({ bug, draft }) => [bug, draft]));
  for (const [bug, draft] of bugs) addComment(bug, draft, learned);
  return {
    bugs: [...bugs.keys()].map(({ id, alias, comments }) => ({
      ...{ id, alias, last_change_time: learned.lastChange(id, comments.at(-1)?.time ?? ''), changes: {} },
    })),
  };
}
