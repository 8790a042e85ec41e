import type * as z from 'zod/mini';
import { compareNames, normalizeName } from '../base/text.ts';
import type { NamedFlag } from '../bugs/flags/schema.ts';
import { type PresentedFlag, presentedFlag } from '../bugs/flags/set-flags.ts';
import type { requestsQuery } from '../bugs/requests.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../people/caller.ts';
import { placeOf } from '../products/place.ts';
import type { Condition, FieldCondition } from './conditions/conditions.ts';
import { flagsOf } from './conditions/search-fields.ts';
import { andThen } from './conditions/searched-bug.ts';
import type { BugQuery, BugResults } from './search.ts';

/** A flag with the bug, and perhaps the attachment, that has it. */
interface FlagRequest extends PresentedFlag {
  bug_id: number;
  summary: string;
  product: string;
  component: string;
  /** whether the bug is in groups */
  is_restricted: boolean;
  attachment_id?: number;
  attachment_summary?: string;
}

/** Which flags are asked for, and how they are ordered. functions/bugs/README.md 7 */
type GivenRequests = z.output<typeof requestsQuery>;

/** What the list shows of bugs. */
const NEEDED: ReadonlySet<string> = new Set(['summary', 'groups', 'product_id', 'component_id']);

/** What the lists are ordered by, before the time. */
const GROUPS: Readonly<Record<string, (one: FlagRequest) => readonly string[]>> = {
  requester: ({ setter }) => [setter],
  requestee: ({ requestee = '' }) => [requestee],
  category: ({ product, component }) => [product, component],
  type: ({ name }) => [name],
};

const STATUSES: ReadonlySet<string> = new Set(['?', '+', '-', '+-', 'all']);

/** Whether a flag is asked for. @throws BugzillaError for an unknown status, and loginRequired for `%user%` without one */
function flagFilter({ type, status, do_union, ...given }: GivenRequests, { user }: Caller) {
  const [requester, requestee] = [given.requester, given.requestee].map((login) => {
    if (login !== '%user%') return login;
    if (user === undefined) throw errors.loginRequired();
    return user.login;
  });
  const wanted = status || '?';
  if (!STATUSES.has(wanted)) throw errors.flagStatusInvalid('', wanted);
  const isSame = (a: string, b: string) => normalizeName(a) === normalizeName(b);
  const people = [
    ...(requester ? [({ setter }: NamedFlag) => isSame(setter, requester)] : []),
    ...(requestee ? [(flag: NamedFlag) => isSame(flag.requestee ?? '-', requestee)] : []),
  ];
  return (flag: NamedFlag): boolean =>
    (wanted === 'all' || wanted.includes(flag.status)) &&
    (!type || type === 'all' || isSame(flag.name, type)) &&
    (do_union && people.length > 1 ? people.some((one) => one(flag)) : people.every((one) => one(flag)));
}

/**
 * A search for flags.
 *
 * @returns finds them in the bugs that the caller sees and that meet a condition, in order
 * @throws BugzillaError for an unknown status or order
 */
export function flagSearch(given: GivenRequests, caller: Caller) {
  const isWanted = flagFilter(given, caller);
  const keysOf = GROUPS[given.group || 'requestee'];
  if (keysOf === undefined) {
    throw errors.parameterInvalid('group', `it is none of ${Object.keys(GROUPS).join(', ')}`);
  }
  return async (
    condition: Condition,
    find: (query: BugQuery) => Promise<BugResults>,
  ): Promise<FlagRequest[]> => {
    const found = new Map<
      number,
      Omit<FlagRequest, 'summary' | 'product' | 'component' | 'is_restricted'>[]
    >();
    const hasWanted: FieldCondition = {
      ...{ field: 'flagtypes.name', operator: 'substring', given: '', cost: 2 },
      test: (searched) =>
        andThen(flagsOf(searched), (flags) => {
          const wanted = flags
            ?.filter(({ flag }) => isWanted(flag))
            .map(({ flag, attachment }) => ({
              ...{ ...presentedFlag(flag), bug_id: searched.id },
              ...(attachment && { attachment_id: attachment.id, attachment_summary: attachment.summary }),
            }));
          found.set(searched.id, wanted ?? []);
          return wanted && wanted.length > 0;
        }),
    };
    const query = { order: [], limit: undefined, offset: 0, needs: NEEDED };
    const { bugs, products } = await find({ condition: { all: [condition, hasWanted] }, ...query });
    return bugs
      .flatMap((bug): FlagRequest[] => {
        const { product, component } = placeOf(bug, products.get(bug.product_id));
        const about = { summary: bug.summary, product, component, is_restricted: bug.groups.length > 0 };
        return (found.get(bug.id) ?? []).map((one) => ({ ...one, ...about }));
      })
      .map((one) => ({ one, keys: [...keysOf(one), one.modification_date] }))
      .sort(
        (a, b) =>
          a.keys.map((key, at) => compareNames(key, b.keys[at] ?? '')).find(Boolean) ?? a.one.id - b.one.id,
      )
      .map(({ one }) => one);
  };
}
