import { mapConcurrent, portions } from '../../lib/base/collections.ts';
import { UsageError } from '../admin/context.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import type { BugRange } from './list-bugs.ts';
import { idsOfBugsResponse, parametersResponse } from './source-schema.ts';

/** What the owner of the API key may not see, as far as it shows: there may be more. */
export class Hidden {
  /** ids */
  readonly bugs = new Set<number>();
  /** ids of bugs */
  readonly comments = new Set<number>();
  /** ids */
  readonly users = new Set<number>();
  /** whether others are disabled, get mails, and are in which groups */
  hasStates = false;
  /** whether bugs do not show their hours */
  hasHours = false;
  /** groups of Bugzilla whose members see more, and in which the owner of the key is not */
  readonly groups = new Map<string, string>();

  /** One for each kind. */
  lines(): string[] {
    const counted = (ids: ReadonlySet<number>, one: string, many: string) =>
      ids.size === 0 ? [] : [`at least ${ids.size} ${ids.size === 1 ? one : many}`];
    return [
      ...counted(this.bugs, 'bug', 'bugs'),
      ...counted(this.comments, 'comment', 'comments, of as many bugs'),
      ...counted(this.users, 'user', 'users'),
      ...[...this.groups].map(([group, what]) => `${what}: this needs the group '${group}'`),
      ...(this.hasStates
        ? ['whether users are disabled or get mails, and their groups: this needs editusers']
        : []),
    ];
  }

  /** @throws UsageError when there is anything */
  refuse(reader: string): void {
    const lines = this.lines();
    if (lines.length === 0) return;
    throw new UsageError(
      [
        `${reader} may not see everything. Hidden:`,
        ...lines.map((line) => `  ${line}`),
        'Use the key of an administrator who is in all groups, or copy the rest with --partial. Nothing was copied.',
      ].join('\n'),
    );
  }
}

/** What an earlier run has read, and Bugzilla does not show now. */
export class Lost {
  /** ids */
  readonly #bugs: number[] = [];
  /** ids of bugs with fewer comments */
  readonly #comments: number[] = [];

  addBugs(ids: readonly number[]): void {
    this.#bugs.push(...ids);
  }

  /** Notes a bug if it has fewer comments than before. @returns whether it has */
  isLess(id: number, before: number, now: number): boolean {
    if (now < before) this.#comments.push(id);
    return now < before;
  }

  /** @throws UsageError when there is anything */
  refuse(): void {
    const named = (ids: readonly number[], what: string) =>
      ids.length === 0 ? [] : [`  ${ids.length} ${what}: ${ids.slice(0, MAX_NAMED).join(', ')}`];
    const lines = [
      ...named(this.#bugs, 'bugs are not shown'),
      ...named(this.#comments, 'bugs have fewer comments'),
    ];
    if (lines.length === 0) return;
    throw new UsageError(
      [
        'Bugzilla shows less than in an earlier run:',
        ...lines,
        'Use the key of that run, with its rights. If they were deleted in Bugzilla, use --partial. No bugs were copied.',
      ].join('\n'),
    );
  }
}

/** Ids in a message. */
const MAX_NAMED = 20;

/** Bugzilla's error code for a bug that exists, but not for the caller. */
const BUG_HIDDEN = 102;
/** Ids that are asked for, each in a request: Bugzilla's REST has no other way to tell a hidden bug from none. */
const MAX_PROBES = 200;
const PROBES_TOGETHER = 20;
/** More are not counted. */
const ENOUGH = 20;
/** Ids after the highest one that are asked for. */
const AFTER_LAST = 3;

/**
 * Looks for bugs that are hidden from the owner of the API key, among the ids that a listing has left out.
 *
 * @param seen ids of the listing
 * @returns some of their ids
 * @throws what Bugzilla.get throws when there was no response
 */
export async function findHiddenBugs(
  bugzilla: Bugzilla,
  seen: ReadonlySet<number>,
  { fromBug, toBug }: BugRange,
): Promise<number[]> {
  const highest = [...seen].reduce((max, id) => Math.max(max, id), fromBug - 1);
  const probes = missingIds(seen, fromBug, Math.min(highest + AFTER_LAST, toBug));
  const hidden: number[] = [];
  for (const some of portions(probes, { max: PROBES_TOGETHER })) {
    const found = await mapConcurrent(some, async (id) => {
      const request = bugzilla.get(`bug/${id}`, idsOfBugsResponse, { query: { include_fields: 'id' } });
      const isHidden = await unlessRefused(
        request.then(() => false),
        ({ code }) => code === BUG_HIDDEN,
      );
      return isHidden ? [id] : [];
    });
    hidden.push(...found.flat());
    if (hidden.length >= ENOUGH) break;
  }
  return hidden;
}

/** Up to MAX_PROBES of the ids that a listing has left out, from each part of the range: a server may name any id. */
function missingIds(seen: ReadonlySet<number>, from: number, to: number): number[] {
  const sorted = [...seen].filter((id) => id >= from && id <= to).sort((a, b) => a - b);
  const gaps: { start: number; size: number }[] = [];
  let next = from;
  for (const id of [...sorted, to + 1]) {
    if (id > next) gaps.push({ start: next, size: id - next });
    next = id + 1;
  }
  const total = gaps.reduce((sum, { size }) => sum + size, 0);
  const step = Math.max(1, total / MAX_PROBES);
  const probes: number[] = [];
  let before = 0;
  for (const { start, size } of gaps) {
    while (probes.length < MAX_PROBES && Math.floor(probes.length * step) < before + size) {
      probes.push(start + Math.floor(probes.length * step) - before);
    }
    before += size;
  }
  return probes;
}

/** What members of a group of Bugzilla see alone, by the parameter that names the group. */
const GROUP_PARAMETERS = {
  timetrackinggroup: 'hours',
  insidergroup: 'private comments and attachments',
} as const;

/** Notes the groups in which the owner of the API key would see more: where they are in tweakparams, the parameters of Bugzilla tell. */
export async function findMissingGroups(
  bugzilla: Bugzilla,
  hidden: Hidden,
  isMember: (group: string) => boolean,
): Promise<void> {
  const names = Object.keys(GROUP_PARAMETERS);
  const query = { include_fields: names.join(',') };
  const response = await unlessRefused(
    bugzilla.get('parameters', parametersResponse, { query }),
    () => undefined,
  );
  for (const name of ['timetrackinggroup', 'insidergroup'] as const) {
    const group = response?.parameters[name] ?? '';
    if (group !== '' && !isMember(group)) hidden.groups.set(group, GROUP_PARAMETERS[name]);
  }
}
