import { normalizeName } from '../base/text.ts';
import { type Caller, isInGroup } from '../people/caller.ts';
import type { GroupControl, ProductItem } from './schema.ts';

// How bugs of a product are in groups: the rules of Bugzilla 5.2. functions/bugs/README.md 7

type Controls = Pick<GroupControl, 'membercontrol' | 'othercontrol'>;
type Control = GroupControl['membercontrol'];
type Groups = Pick<ProductItem, 'group_controls'>;

/** What a group means for a product that does not name it. */
export const NO_CONTROL: Omit<GroupControl, 'group'> = {
  ...{ entry: false, membercontrol: 'NA', othercontrol: 'NA', canedit: false },
  ...{ editcomponents: false, editbugs: false, canconfirm: false },
};

/** The othercontrol where none is given. */
export const defaultOthercontrol = (membercontrol: Control): Control =>
  membercontrol === 'MANDATORY' ? 'MANDATORY' : 'NA';

/** What othercontrol may be, by membercontrol. */
const LEGAL: Record<Control, readonly Control[]> = {
  NA: ['NA'],
  SHOWN: ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'],
  DEFAULT: ['NA', 'DEFAULT', 'MANDATORY'],
  MANDATORY: ['MANDATORY'],
};

/** The rule that two controls break together; undefined when they are one of the nine combinations. */
export function controlsProblem({ membercontrol, othercontrol }: Controls): string | undefined {
  const legal = LEGAL[membercontrol];
  return legal.includes(othercontrol)
    ? undefined
    : `must be ${legal.join(' or ')} where membercontrol is ${membercontrol}, not ${othercontrol}`;
}

/** What a group means for a bug that the caller files, or changes: as a member of it, or as another one. */
function controlFor({ group, membercontrol, othercontrol }: GroupControl, caller: Caller): Control {
  if (caller.inactiveGroups?.has(normalizeName(group))) return 'NA';
  return isInGroup(caller, group) ? membercontrol : othercontrol;
}

const groupsOf = ({ group_controls }: Groups, caller: Caller, controls: readonly Control[]): string[] =>
  group_controls.filter((one) => controls.includes(controlFor(one, caller))).map(({ group }) => group);

/** The groups that each bug has which the caller files in the product, or moves into it. */
export const mandatoryGroups = (product: Groups, caller: Caller): string[] =>
  groupsOf(product, caller, ['MANDATORY']);

/** The groups of a bug for which the caller names none. */
export const defaultGroups = (product: Groups, caller: Caller): string[] =>
  groupsOf(product, caller, ['DEFAULT', 'MANDATORY']);

/** The groups that the caller may give a new bug. */
const settableGroups = (product: Groups, caller: Caller): string[] =>
  groupsOf(product, caller, ['SHOWN', 'DEFAULT', 'MANDATORY']);

/**
 * The groups that every bug of a product has, whoever filed it.
 *
 * @param control `othercontrol`: those that it has if its filer is in no group
 */
export const requiredGroups = (
  { group_controls }: Groups,
  isInactive: (group: string) => boolean = () => false,
  control: keyof Controls = 'membercontrol',
): string[] =>
  group_controls
    .filter((one) => one[control] === 'MANDATORY' && !isInactive(one.group))
    .map(({ group }) => group);

/** The groups of a product that a bug may have at all. */
export const validGroups = ({ group_controls }: Groups): string[] =>
  group_controls.filter(({ membercontrol }) => membercontrol !== 'NA').map(({ group }) => group);

/** A bug whose groups change. */
interface GroupedBug {
  /** after the change, if it moves */
  product: Groups;
  groups: readonly string[];
  /** whether the bug is new, or moves into the product */
  isEntering: boolean;
}

/** The group that a bug may be put into, in its own spelling; undefined: the caller may not do it. */
export function addableGroup(
  { product, groups, isEntering }: GroupedBug,
  given: string,
  caller: Caller,
): string | undefined {
  const isGiven = (name: string) => normalizeName(name) === normalizeName(given);
  // Others may add a group only as a bug enters the product.
  const isAllowed = (group: string) => isEntering || isInGroup(caller, group);
  return groups.find(isGiven) ?? settableGroups(product, caller).filter(isAllowed).find(isGiven);
}

/** Whether the caller may take a bug out of a group, which it has. What the product does not have, everybody may remove. */
export function mayRemoveGroup(
  { product, groups, isEntering }: GroupedBug,
  given: string,
  caller: Caller,
): boolean {
  const isGiven = (name: string) => normalizeName(name) === normalizeName(given);
  if (!groups.some(isGiven)) return false;
  const control = product.group_controls.find(({ group }) => isGiven(group));
  if (control === undefined || control.membercontrol === 'NA') return true;
  const isActive = !caller.inactiveGroups?.has(normalizeName(given));
  if (control.membercontrol === 'MANDATORY' && isActive) return false;
  const isFree = control.othercontrol === 'SHOWN' || control.othercontrol === 'DEFAULT';
  return isInGroup(caller, control.group) || (isEntering && isFree);
}
