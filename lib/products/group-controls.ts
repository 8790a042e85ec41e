import type { GroupControl } from './schema.ts';

type Controls = Pick<GroupControl, 'membercontrol' | 'othercontrol'>;

/** The othercontrol where none is given. */
export const defaultOthercontrol = (
  membercontrol: GroupControl['membercontrol'],
): GroupControl['othercontrol'] => (membercontrol === 'MANDATORY' ? 'MANDATORY' : 'NA');

/** What othercontrol may be, by membercontrol. */
const LEGAL: Record<GroupControl['membercontrol'], readonly GroupControl['othercontrol'][]> = {
  NA: ['NA'],
  SHOWN: ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'],
  DEFAULT: ['NA', 'DEFAULT', 'MANDATORY'],
  MANDATORY: ['MANDATORY'],
};

/** The rule that two controls break together; undefined when they are one of Bugzilla's nine combinations. */
export function controlsProblem({ membercontrol, othercontrol }: Controls): string | undefined {
  const legal = LEGAL[membercontrol];
  return legal.includes(othercontrol)
    ? undefined
    : `must be ${legal.join(' or ')} where membercontrol is ${membercontrol}, not ${othercontrol}`;
}
