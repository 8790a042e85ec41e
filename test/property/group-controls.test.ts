import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { checkProperty, TIMEOUT } from '../support/check-property.ts';
import { parseNumbered } from '../support/numbered.ts';

// A model of Bugzilla 5.2: `_check_groups`, `add_group`, `remove_group` and `_set_product` of Bug.pm, `set_group_controls`, `update` and the
// lists of groups of Product.pm, `can_see_bug`, `can_edit_product` and `can_enter_product` of User.pm.

type Control = 'NA' | 'SHOWN' | 'DEFAULT' | 'MANDATORY';
type Group = (typeof GROUPS)[number];
type Product = (typeof PRODUCTS)[number];
interface GroupControl {
  membercontrol: Control;
  othercontrol: Control;
  entry: boolean;
  canedit: boolean;
}
interface Bug {
  product: Product;
  reporter: Person;
  groups: Group[];
}
interface World {
  controls: Record<Product, Record<Group, GroupControl>>;
  inactive: Group[];
  bugs: Bug[];
}

const GROUPS = ['one', 'two'] as const;
const PRODUCTS = ['Here', 'There'] as const;
/** Their groups: `inner` is in `one`. All change every bug that they see. */
const MEMBERS = {
  inner: ['one'],
  second: ['two'],
  both: ['one', 'two'],
  none: [],
  admin: ['one', 'two'],
} as const;
type Person = keyof typeof MEMBERS;
const PEOPLE = ['inner', 'second', 'both', 'none', 'admin'] as const;
const JOINED: Record<Person, string[]> = {
  inner: ['core'],
  second: ['two'],
  both: ['one', 'two'],
  none: [],
  admin: ['one', 'two', 'editcomponents', 'creategroups'],
};

const isIn = (who: Person, group: Group): boolean => MEMBERS[who].some((one) => one === group);

class Refused extends Error {}
function require(condition: boolean): void {
  if (!condition) throw new Refused();
}

const isMandatory =
  ({ controls, inactive }: World, product: Product, who: Person) =>
  (group: Group) => {
    const { membercontrol, othercontrol } = controls[product][group];
    if (inactive.includes(group)) return false;
    return membercontrol === 'MANDATORY' || (othercontrol === 'MANDATORY' && !isIn(who, group));
  };

/** The control of an available group; undefined: it is none. */
function available({ controls, inactive }: World, product: Product, who: Person, group: Group) {
  const { membercontrol, othercontrol } = controls[product][group];
  const isOffered = (control: Control) => control === 'SHOWN' || control === 'DEFAULT';
  if (inactive.includes(group)) return undefined;
  if (isIn(who, group) && isOffered(membercontrol)) return membercontrol;
  return isOffered(othercontrol) ? othercontrol : undefined;
}

const isSettable = (world: World, product: Product, who: Person, group: Group) =>
  isMandatory(world, product, who)(group) || available(world, product, who, group) !== undefined;

const passes = (world: World, product: Product, who: Person, barrier: 'entry' | 'canedit') =>
  GROUPS.every((group) => !world.controls[product][group][barrier] || isIn(who, group));

const sees = ({ groups, reporter }: Bug, who: Person | undefined) =>
  groups.every((group) => who !== undefined && isIn(who, group)) || who === reporter || who === 'admin';

function add(world: World, bug: Bug, who: Person, group: Group, isMoving: boolean): void {
  if (bug.groups.includes(group)) return;
  require(isSettable(world, bug.product, who, group));
  const { othercontrol } = world.controls[bug.product][group];
  require(isIn(who, group) || (isMoving && othercontrol !== 'NA'));
  bug.groups.push(group);
}

function remove(world: World, bug: Bug, who: Person, group: Group, isMoving: boolean): void {
  require(bug.groups.includes(group));
  const { membercontrol, othercontrol } = world.controls[bug.product][group];
  if (membercontrol !== 'NA') {
    require(membercontrol !== 'MANDATORY' || world.inactive.includes(group));
    const isFree = othercontrol !== 'MANDATORY' && othercontrol !== 'NA';
    require(isIn(who, group) || (isMoving && isFree));
  }
  bug.groups = bug.groups.filter((one) => one !== group);
}

/** What a request does in Bugzilla. */
function apply(world: World, step: Step): void {
  if (step.kind === 'file') {
    const { who, product, groups } = step;
    require(passes(world, product, who, 'entry'));
    for (const group of groups ?? []) require(isSettable(world, product, who, group));
    const chosen = groups ?? GROUPS.filter((group) => available(world, product, who, group) === 'DEFAULT');
    const all = [...chosen, ...GROUPS.filter(isMandatory(world, product, who))];
    world.bugs.push({ product, reporter: who, groups: [...new Set(all)] });
  } else if (step.kind === 'change') {
    const { who, product } = step;
    const original = world.bugs[step.bug % world.bugs.length];
    if (original === undefined) return;
    require(sees(original, who) && passes(world, original.product, who, 'canedit'));
    const bug = structuredClone(original);
    const isMoving = product !== undefined && product !== bug.product;
    if (isMoving) {
      require(passes(world, product, who, 'entry'));
      bug.product = product;
      bug.groups = bug.groups.filter((group) => world.controls[product][group].membercontrol !== 'NA');
      for (const group of GROUPS.filter(isMandatory(world, product, who))) add(world, bug, who, group, true);
    }
    for (const group of step.add) add(world, bug, who, group, isMoving);
    for (const group of step.remove) remove(world, bug, who, group, isMoving);
    Object.assign(original, bug);
  } else if (step.kind === 'control') {
    require(!world.inactive.includes(step.group));
    const before = world.controls[step.product][step.group];
    world.controls[step.product][step.group] = step.control;
    if (JSON.stringify(before) === JSON.stringify(step.control)) return;
    for (const bug of world.bugs.filter(({ product }) => product === step.product)) {
      const others = bug.groups.filter((group) => group !== step.group);
      if (step.control.membercontrol === 'MANDATORY') bug.groups = [...others, step.group];
      if (step.control.membercontrol === 'NA') bug.groups = others;
    }
  } else if (!world.inactive.includes(step.group)) world.inactive.push(step.group);
}

const group = fc.constantFrom(...GROUPS);
const product = fc.constantFrom(...PRODUCTS);
const person = fc.constantFrom(...PEOPLE);
const some = fc.uniqueArray(group, { maxLength: 2 });
const COMBINATIONS: [Control, Control][] = [
  ...(['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'] as const).map((other): [Control, Control] => ['SHOWN', other]),
  ...(['NA', 'DEFAULT', 'MANDATORY'] as const).map((other): [Control, Control] => ['DEFAULT', other]),
  ['NA', 'NA'],
  ['MANDATORY', 'MANDATORY'],
];
const rarely = fc.nat({ max: 4 }).map((n) => n === 0);
const control: fc.Arbitrary<GroupControl> = fc
  .record({ both: fc.constantFrom(...COMBINATIONS), entry: rarely, canedit: rarely })
  .map(({ both: [membercontrol, othercontrol], ...others }) => ({ membercontrol, othercontrol, ...others }));
const kind = <T extends string>(name: T) => fc.constant(name);
const step = fc.oneof(
  fc.record({ kind: kind('file'), who: person, product, groups: fc.option(some, { nil: undefined }) }),
  fc.record({
    kind: kind('change'),
    who: person,
    bug: fc.nat({ max: 20 }),
    product: fc.option(product, { nil: undefined }),
    add: some,
    remove: some,
  }),
  fc.record({ kind: kind('control'), product, group, control }),
  fc.record({ kind: kind('inactive'), group }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const keyOf = (who: string) => `${who}Key`.padEnd(40, '0');

const catalogueOf = (controls: World['controls']) =>
  parseNumbered({
    groups: [
      ...[...GROUPS, 'editbugs', 'editcomponents', 'creategroups'].map((name) => ({ name })),
      { name: 'core', member_of: ['one'] },
    ],
    users: PEOPLE.map((who) => ({
      login: `${who}@example.com`,
      groups: ['editbugs', ...JOINED[who]],
      api_keys: [{ key: keyOf(who) }],
    })),
    products: PRODUCTS.map((name) => ({
      name,
      components: [{ name: 'Core', default_assigned_to: 'admin@example.com' }],
      group_controls: GROUPS.map((group) => ({ group, ...controls[name][group] })),
    })),
  });

const WHERE = { component: 'Core', version: 'unspecified' };

/** Sends a request. @returns whether it was done */
async function send(bugless: Bugless, step: Step, ids: number[]): Promise<boolean> {
  const request = async (who: string, method: string, path: string, body: object) => {
    const reply = await bugless.call(method, path, { key: keyOf(who), body });
    if (reply.status >= 500) throw new Error(JSON.stringify(reply.body));
    return reply;
  };
  if (step.kind === 'file') {
    const body = { ...WHERE, product: step.product, groups: step.groups, summary: 's' };
    const reply = await request(step.who, 'POST', '/rest/bug', body);
    if (reply.status === 200) ids.push(reply.body.id);
    return reply.status === 200;
  }
  if (step.kind === 'change') {
    const id = ids[step.bug % ids.length];
    if (id === undefined) return true;
    const moved = step.product === undefined ? {} : { ...WHERE, product: step.product };
    const body = { ...moved, groups: { add: step.add, remove: step.remove } };
    return (await request(step.who, 'PUT', `/rest/bug/${id}`, body)).status === 200;
  }
  if (step.kind === 'control') {
    const group_controls = [{ group: step.group, ...step.control }];
    const path = `/rest/bugless/product/${step.product}/group_controls`;
    return (await request('admin', 'PUT', path, { group_controls })).status === 200;
  }
  return (await request('admin', 'PUT', `/rest/group/${step.group}`, { is_active: false })).status === 200;
}

const world = fc.record({
  Here: fc.record({ one: control, two: control }),
  There: fc.record({ one: control, two: control }),
});
/** Somebody files a bug, and three requests follow. */
const file = fc.record({
  kind: kind('file'),
  who: person,
  product,
  groups: fc.option(some, { nil: undefined }),
});
const run = fc.record({ controls: world, steps: fc.tuple(file, step, step, step) });

it(
  'nobody sees a bug whom Bugzilla would not show it, after any requests',
  () =>
    checkProperty(run, async ({ controls, steps }) => {
      const model: World = { controls: structuredClone(controls), inactive: [], bugs: [] };
      const bugless = await startBugless(catalogueOf(controls));
      const bugs = bugRepository(bugless.table, bugless.table.now);
      const ids: number[] = [];
      for (const step of steps) {
        const before = structuredClone(model);
        let isDone = true;
        try {
          apply(model, step);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          Object.assign(model, before);
          isDone = false;
        }
        expect([step, await send(bugless, step, ids)]).toEqual([step, isDone]);
        for (const [at, id] of ids.entries()) {
          const bug = model.bugs[at];
          if (bug === undefined) throw new Error(`The model has no bug ${at}`);
          const stored = await bugs.byId(id);
          expect([step, stored?.groups.toSorted()]).toEqual([step, bug.groups.toSorted()]);
          for (const who of [...PEOPLE, undefined]) {
            const key = who && keyOf(who);
            const { status } = await bugless.call('GET', `/rest/bug/${id}`, { key });
            expect([step, who, status === 200]).toEqual([step, who, sees(bug, who)]);
          }
        }
      }
    }),
  TIMEOUT,
);
