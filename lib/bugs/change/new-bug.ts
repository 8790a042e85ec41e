import { distinctNames } from '../../base/names.ts';
import { defaultGroups, mandatoryGroups } from '../../products/group-controls.ts';
import { hasRight } from '../../products/permissions.ts';
import type { ProductItem, ProductWithParts } from '../../products/schema.ts';
import type { BugField } from '../fields/field.ts';
import { type BugFields, builtInRegistry } from '../fields/registry.ts';
import { type Editor, mayConfirm } from '../permissions.ts';
import { type BugItem, bugItem } from '../schema.ts';
import { isChoice, type LegalValues } from '../values.ts';
import type { BugUpdate, UpdateContext } from './bug-update.ts';

/** The id of a bug that has none yet. */
export const UNNUMBERED = 0;

/** An empty bug of a product, which a creation updates: with the groups that it has without being given any. */
export function emptyBug(update: BugUpdate, { product }: ProductWithParts, { caller }: Editor): BugItem {
  const groups = (update.groups === undefined ? defaultGroups : mandatoryGroups)(product, caller);
  return bugItem.parse({
    id: UNNUMBERED,
    aliases: [],
    product_id: product.id,
    component_id: UNNUMBERED,
    version: '',
    summary: '',
    status: '',
    reporter: caller.user?.login ?? '',
    assigned_to: '',
    qa_contact: '',
    cc: [],
    groups: distinctNames(groups),
    creation_time: '',
    last_change_time: '',
    comment_count: 0,
    last_comment_time: '',
    hours_worked: 0,
    is_confirmed: false,
    revision: 0,
  });
}

/** An update with what a new bug has where the request gives nothing. */
export function withDefaults(
  update: BugUpdate,
  { product }: ProductWithParts,
  { fields, legal }: Pick<UpdateContext, 'fields' | 'legal'>,
): BugUpdate {
  const isBlank = (given: string | undefined) => (given ?? '').trim() === '';
  return {
    component: '',
    version: '',
    summary: '',
    target_milestone: product.default_milestone,
    ...defaultChoices(fields, legal),
    ...Object.fromEntries(Object.entries(update).filter(([, given]) => given !== undefined)),
    reset_assigned_to: isBlank(update.assigned_to),
    reset_qa_contact: isBlank(update.qa_contact),
  };
}

/** What a new bug has of the fields with legal values that a deployment sets, by the names in the interface. */
export const defaultChoices = ({ all }: BugFields, legal: LegalValues): Record<string, string> =>
  Object.fromEntries(all.flatMap((field) => defaultChoice(field, legal)));

/** The name and value of a field with legal values that a deployment sets: Bugzilla's own default, or else the last one. */
function defaultChoice({ rest, values, stored }: BugField, legal: LegalValues): [string, string][] {
  const isDefault = isChoice(values) && values !== 'resolution';
  if (!isDefault || rest === undefined || stored === undefined) return [];
  const preferred = String(stored[1].parse(undefined));
  return [[rest, legal[values].includes(preferred) ? preferred : (legal[values].at(-1) ?? preferred)]];
}

/**
 * Whether a parameter of a new bug is ignored: the field follows from other things, or the caller may not give it.
 *
 * @param product undefined: it does not exist, which is an error
 */
export function isIgnoredOfNewBug(
  name: string,
  { caller, isTimeTracker }: Editor,
  product: ProductItem | undefined,
): boolean {
  const field = builtInRegistry.shownAs(name) ?? builtInRegistry.named(name);
  switch (field?.created) {
    case 'ignored':
      return true;
    case 'editors':
      return !(field.values === 'status'
        ? mayConfirm(caller, product)
        : hasRight(caller, 'editbugs', product));
    case 'timetrackers':
      return !isTimeTracker;
    default:
      return false;
  }
}
