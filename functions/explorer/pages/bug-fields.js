import { names } from './elements.js';
import { labelOf, restName } from './labels.js';
import { restOnce } from './rest.js';

const field = (kind) => (name, more) => ({ name, label: labelOf(name), kind, ...more });
const [text, list, select] = ['text', 'list', 'select'].map(field);
const hours = (name) => ({ ...field('number')(name), isForTimeTrackers: true });

/** The fields of bugs that a form has, in their order; custom ones follow. */
const FIELDS = [
  select('product', { isRequired: true }),
  select('component', { isRequired: true }),
  select('version', { isRequired: true }),
  ...['target_milestone', 'status', 'severity', 'priority', 'platform', 'op_sys'].map((name) => select(name)),
  ...['assigned_to', 'qa_contact'].map((name) => field('person')(name)),
  list('keywords'),
  ...['whiteboard', 'url'].map((name) => text(name)),
  ...['alias', 'depends_on', 'blocks', 'see_also'].map((name) => list(name)),
  list('groups', { label: 'Restricted to groups' }),
  field('date')('deadline', { isForTimeTrackers: true }),
  ...['estimated_time', 'remaining_time'].map(hours),
];

/** Kinds of inputs by the type of a custom field. */
const KINDS_OF_CUSTOM = {
  ...{ 1: 'text', 2: 'select', 3: 'multiple', 4: 'long', 5: 'time', 6: 'text', 9: 'date', 10: 'number' },
};

const LEGAL_VALUES = 'bug_status resolution priority bug_severity rep_platform op_sys keywords'.split(' ');

const valuesOf = (fields) =>
  new Map(LEGAL_VALUES.map((name) => [name, fields.find((one) => one.name === name)?.values ?? []]));

/** The legal values by Bugzilla's name of their field. */
export const readValues = async () => valuesOf((await restOnce('field/bug')).fields);

/** What a form needs beside the bug: the product, the legal values, the custom fields, those of `several` values; with `isMoved` the products that it can get. */
export async function readChoices(product, isMoved = true) {
  const query = new URLSearchParams({
    names: product,
    include_fields:
      'name,components,versions,milestones,has_unconfirmed,default_milestone,description_template',
  });
  const [{ products }, { fields }, { products: enterable }] = await Promise.all([
    restOnce(`product?${query}`),
    restOnce('field/bug'),
    isMoved ? restOnce('product?type=enterable&include_fields=name') : { products: [] },
  ]);
  const [found] = products;
  if (found === undefined) throw new Error(`There is no product '${product}' that you may see.`);
  const values = valuesOf(fields);
  const custom = fields.filter((one) => one.is_custom && one.type in KINDS_OF_CUSTOM);
  const several = custom.filter(({ type }) => type === 3).map(({ name }) => name);
  return { product: found, products: enterable.map(({ name }) => name), values, custom, several };
}

/** The flag types of a component for bugs, or attachments. */
export const flagTypesOf = ({ product }, component, kind = 'bug') =>
  product.components.find(({ name }) => name === component)?.flag_types[kind] ?? [];

/** The values that can be chosen: active ones, and those that the bug has. */
const active = (values, current) => {
  const names = values.filter(({ is_active = true, name }) => is_active && name).map(({ name }) => name);
  return current === '' || names.includes(current) ? names : [current, ...names];
};

/** The statuses that a bug can change to from its status; '' of a new bug. */
function nextStatuses({ values, product }, status) {
  const from = values.get('bug_status').find(({ name }) => (name ?? '') === status);
  const next = (from?.can_change_to ?? []).map(({ name }) => name);
  const possible = next.filter((name) => name !== 'UNCONFIRMED' || product.has_unconfirmed);
  return [status, ...possible.filter((name) => name !== status)];
}

/** Whether a status is open. */
export const isOpen = ({ values }, status) =>
  values.get('bug_status').find(({ name }) => (name ?? '') === status)?.is_open ?? true;

/** The values that can be chosen by name of the field; absent: the field has none. */
function optionsOf(choices, before) {
  const { product, products, values } = choices;
  const of = (name, current) => active(values.get(name), current);
  return {
    product: [...new Set([product.name, ...products])].sort(),
    component: active(product.components, before.component),
    version: active(product.versions, before.version),
    target_milestone: active(product.milestones, before.target_milestone),
    status: nextStatuses(choices, before.status),
    severity: of('bug_severity', before.severity),
    priority: of('priority', before.priority),
    platform: of('rep_platform', before.platform),
    op_sys: of('op_sys', before.op_sys),
  };
}

/**
 * The fields of a form, with their options.
 *
 * @param before values of the bug, of a new one all ''
 * @param rights of the reader, as whoami tells
 */
export function fieldsOf(choices, before, rights) {
  const options = optionsOf(choices, before);
  const isNew = before.status === '';
  const own = FIELDS.filter(
    ({ name, isForTimeTrackers }) =>
      (!isForTimeTrackers || rights.time_tracker) && !(isNew && name === 'remaining_time'),
  ).map((field) => ({ ...field, options: options[field.name] }));
  const optional = own.map((field) =>
    field.kind === 'select' && isNew && field.name !== 'product'
      ? { ...field, options: ['', ...field.options.filter(Boolean)] }
      : field,
  );
  return [...optional, ...choices.custom.filter((one) => !isNew || one.is_on_bug_entry).map(customField)];
}

const customField = ({ name, display_name, type, values = [], is_mandatory, ...more }) => ({
  name,
  label: display_name,
  kind: KINDS_OF_CUSTOM[type],
  isRequired: is_mandatory && type !== 2,
  options: values.map((one) => one.name),
  isShown: (given) => {
    const { visibility_field, visibility_values } = more;
    const shown = visibility_field ? given[restName(visibility_field)] : undefined;
    return shown === undefined || visibility_values.includes(shown);
  },
});

/** Whether a form shows a field beside these values. */
export const isShown = (field, given) => field.isShown?.(given) ?? true;

/** The value of a field of a bug as its input has it: a text, of `multiple` a list. */
export function inputValue({ kind }, value) {
  if (kind === 'multiple') return [value ?? []].flat();
  if (Array.isArray(value)) return value.join(', ');
  return String(value ?? '').replaceAll('\r\n', '\n');
}

/** What a request sends for fields whose values differ: of lists, what is added and removed. */
export function sentFields(fields, before, given) {
  const changed = fields.filter(({ name }) => String(before[name] ?? '') !== String(given[name] ?? ''));
  const without = (some, others) => some.filter((one) => !others.includes(one));
  const sent = changed.map(({ name, kind }) => {
    if (kind !== 'list' && kind !== 'people') return [name, given[name]];
    const [old, next] = [names(before[name] ?? ''), names(given[name])];
    return [name, { add: without(next, old), remove: without(old, next) }];
  });
  return Object.fromEntries(sent);
}

/** What a request sends for a state; `dupe_of` sets all of a duplicate, and without it the response names what is missing. */
export const sentState = ({ status, resolution }, original) =>
  resolution === 'DUPLICATE' && original !== ''
    ? { dupe_of: Number(original) || original }
    : { status, resolution };

/** A status with its resolution, in words. */
export const stateText = (status, resolution) => `${status} ${resolution}`.trim();

/** The states that a bug can get, by their words: each status with the resolutions that it can have. */
export function statesOf(choices, bug) {
  const resolutions = active(choices.values.get('resolution'), '').filter(Boolean);
  const states = nextStatuses(choices, bug.status).flatMap((status) => {
    if (isOpen(choices, status)) return [{ status, resolution: '' }];
    // Another closed status keeps the resolution.
    const isKept = status !== bug.status && !isOpen(choices, bug.status);
    return (isKept ? [bug.resolution] : resolutions).map((resolution) => ({ status, resolution }));
  });
  return new Map(states.map((one) => [stateText(one.status, one.resolution), one]));
}
