import { type BugItem, bugItem } from '../bugs/schema.ts';
import { changedGroups } from '../bugs/store/follow-product.ts';
import { UNCONFIRMED } from '../bugs/workflow.ts';
import { requiredGroups } from '../products/group-controls.ts';
import { parseCustomValue } from './custom-values.ts';
import { DEFAULT_VERSION, DEFAULTS, mergeFields } from './defaults.ts';
import type { planGroups } from './plan-groups.ts';
import type { planProducts } from './plan-products.ts';
import type { planBugSettings } from './plan-settings.ts';
import type { CatalogueBug } from './schema.ts';

/** What the bugs of a catalogue refer to. */
export type Referred = Awaited<ReturnType<typeof planGroups>> &
  Awaited<ReturnType<typeof planBugSettings>> &
  Awaited<ReturnType<typeof planProducts>> & {
    /** whether bugs are in the groups that the catalogue names alone */
    isWhole: boolean;
  };

/**
 * A bug of a catalogue as it is stored: what the catalogue does not give is as it was, or the default.
 *
 * @param existing the bug in the table; undefined: it is new
 */
export function desiredBug(
  id: number,
  given: CatalogueBug,
  existing: BugItem | undefined,
  { groupNamed, isInactive, productNamed, customKindOf, settings, isWhole }: Referred,
): BugItem {
  const { product, components, versions } = productNamed(given.product);
  const [description] = given.comments;
  const created = given.creation_time ?? existing?.creation_time ?? description?.creation_time ?? '';
  const {
    comments: _,
    history: __,
    product: ___,
    component: ____,
    custom,
    last_change_time = lastTimeIn(given, created),
    ...fields
  } = given;
  const status = settings().workflow.initial.find(({ name }) => name !== UNCONFIRMED)?.name ?? UNCONFIRMED;
  const defaults = {
    ...{ ...DEFAULTS.bug, status },
    target_milestone: product.default_milestone,
    version: (versions.find((version) => version.is_active) ?? versions[0])?.name ?? DEFAULT_VERSION,
    comment_count: 0,
    last_comment_time: created,
    hours_worked: 0,
    is_confirmed: (given.status ?? status) !== UNCONFIRMED,
    revision: 0,
  };
  const groups = given.groups?.map((name) => groupNamed(name).name) ?? existing?.groups ?? [];
  // A new bug of which the catalogue does not say it is not public where that of a stranger would not be.
  const isUnsaid = existing === undefined && given.groups === undefined;
  const control = isUnsaid ? 'othercontrol' : 'membercontrol';
  const add = isWhole ? [] : requiredGroups(product, isInactive, control);
  return bugItem.parse({
    ...mergeFields(defaults, existing, fields),
    groups: changedGroups(groups, { add, remove: [] }),
    id,
    custom: storedCustom(existing?.custom, custom, customKindOf),
    product_id: product.id,
    component_id: components.find(({ name }) => name === given.component)?.id,
    creation_time: created,
    last_change_time: [last_change_time, existing?.last_change_time ?? ''].sort().at(-1),
  });
}

/** The last time that a bug of a catalogue has, where it does not say when the bug changed last. */
const lastTimeIn = ({ comments, history }: CatalogueBug, created: string): string =>
  [created, ...comments.map((one) => one.creation_time), ...history.map(({ when }) => when)].sort().at(-1) ??
  '';

/** The values of custom fields as they are stored: those of the catalogue, else those that the bug has. */
function storedCustom(
  existing: BugItem['custom'] = {},
  given: CatalogueBug['custom'],
  customKindOf: Referred['customKindOf'],
): BugItem['custom'] {
  const values = Object.entries(given).map(([name, value]) => {
    const parsed = parseCustomValue(customKindOf(name) ?? 'freetext', value);
    return [name, 'value' in parsed ? parsed.value : undefined] as const;
  });
  const all = Object.entries({ ...existing, ...Object.fromEntries(values) });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
