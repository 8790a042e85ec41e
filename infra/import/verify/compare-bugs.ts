import { mapConcurrent, portions } from '../../../lib/base/collections.ts';
import type { Bugzilla } from '../bugzilla-client.ts';
import { type AttachmentList, listAttachments, readData } from '../read-attachments.ts';
import { commentsResponse, hiddenComments, type SourceComment } from '../source-comments.ts';
import {
  BUG_FIELDS,
  bugsResponse,
  historiesResponse,
  type SourceBug,
  type SourceHistory,
} from '../source-schema.ts';
import type { Differences } from './differences.ts';
import { type FoundDifference, hashOf, RAISED, type Reader } from './rules.ts';

/** Two servers whose responses are compared. */
export interface Sides {
  there: Bugzilla;
  here: Bugzilla;
}
type Side = keyof Sides;
const SIDES = ['there', 'here'] as const;
const MISSING = 'it is not in the response';

/** What was compared. */
export interface ComparedCounts {
  bugs: number;
  comments: number;
  changes: number;
  attachments: number;
}

const BUGS_PER_REQUEST = 20;
const CONCURRENT_BUGS = 2;
/** They are compared as users. */
const DETAILS = /_detail$/;

/** What a reader sees of two servers, each request sent to both. */
async function both<T>(read: (side: Side) => Promise<T>): Promise<Record<Side, T>> {
  const [there, here] = await Promise.all([read('there'), read('here')]);
  return { there, here };
}

/**
 * Compares bugs that both sides show to a reader: fields, comments, histories, attachments by the hash of their data.
 *
 * @param custom names of custom fields
 * @param report called with the number of bugs that were compared
 */
export async function compareBugs(
  sides: Sides,
  ids: readonly number[],
  { reader, custom }: { reader: Reader; custom: readonly string[] },
  differences: Differences,
  report: (bugs: number) => void,
): Promise<ComparedCounts> {
  const stale = new Set<number>();
  const note = (id: number, difference: FoundDifference) =>
    differences.compare({ ...difference, isStale: stale.has(id) });
  const anonymous = reader === 'anonymous';
  const isAll = reader === 'administrator';
  const counts: ComparedCounts = { bugs: 0, comments: 0, changes: 0, attachments: 0 };

  const readBugs = async (side: Side, some: readonly number[]): Promise<Map<number, SourceBug>> => {
    const query = { id: some.join(','), include_fields: [...BUG_FIELDS, ...custom].join(','), limit: 0 };
    const { bugs } = await sides[side].get('bug', bugsResponse, { query, anonymous });
    return new Map(bugs.map((bug) => [bug.id, bug]));
  };

  /** The changes of bugs, without regard to their order within a second. */
  async function readChanges(side: Side, some: readonly number[]): Promise<Map<number, Change[]>> {
    const [first, ...ids] = some;
    const { bugs } = await sides[side].get(`bug/${first}/history`, historiesResponse, {
      query: { ids },
      anonymous,
    });
    return new Map(bugs.map(({ id, history }) => [id, changesIn(history)]));
  }

  async function readComments(side: Side, id: number): Promise<SourceComment[] | undefined> {
    const { bugs } = await sides[side].get(`bug/${id}/comment`, commentsResponse, { anonymous });
    return bugs[id]?.comments;
  }

  /** Data that was not read is equal to nothing. */
  async function readHash(side: Side, id: number): Promise<string> {
    const read = await readData(sides[side], id, { anonymous });
    return 'why' in read ? `not read ${side}: ${read.why}` : hashOf(Buffer.from(read.data, 'base64'));
  }

  /** Notes that a part of a bug was not returned: what neither side returns is not equal. */
  async function noteUnread(id: number, what: string, { there, here }: Record<Side, string | undefined>) {
    const about = { kind: 'fields of bugs', reader, where: `bug ${id}, ${what}`, field: 'response' } as const;
    await note(id, {
      ...about,
      ...{ there: there === undefined ? 'read' : `not read there: ${there}` },
      ...{ here: here === undefined ? 'read' : `not read here: ${here}` },
    });
  }

  /** Compares the parts of a bug that have ids. @returns those that both have */
  async function compareIds(
    id: number,
    where: string,
    there: ReadonlySet<number>,
    here: ReadonlySet<number>,
  ): Promise<number[]> {
    for (const part of new Set([...there, ...here])) {
      if (there.has(part) && here.has(part)) continue;
      const kind = there.has(part) ? 'missing here' : isAll ? 'here only' : 'shown here and hidden there';
      await note(id, {
        ...{ kind, reader, where: `${where} ${part}`, field: 'id' },
        ...{ there: there.has(part) ? part : undefined, here: here.has(part) ? part : undefined },
      });
    }
    return [...there].filter((part) => here.has(part));
  }

  async function compareFields(id: number, there: SourceBug, here: SourceBug): Promise<void> {
    const hereOf: Readonly<Record<string, unknown>> = here;
    for (const [field, value] of Object.entries(there)) {
      if (DETAILS.test(field) || value === undefined) continue;
      const kind = 'fields of bugs';
      await note(id, {
        ...{ kind, reader, where: `bug ${id}`, field },
        ...{ there: normalized(value), here: normalized(hereOf[field]) },
      });
    }
  }

  async function compareComments(id: number): Promise<void> {
    const read = await both((side) => readComments(side, id));
    const whyOf = (side: Side) => (read[side] === undefined ? MISSING : undefined);
    await noteUnread(id, 'comments', { there: whyOf('there'), here: whyOf('here') });
    const { there = [], here = [] } = read;
    if (isAll) await noteHidden(id, hiddenComments(there));
    const [thereById, hereById] = [there, here].map((all) => new Map(all.map((one) => [one.id, one])));
    const where = `bug ${id}, comment`;
    const ids = (all: SourceComment[]) => new Set(all.map((one) => one.id));
    let previous = '';
    for (const comment of await compareIds(id, where, ids(there), ids(here))) {
      const [a, b] = [thereById?.get(comment), hereById?.get(comment)];
      if (a === undefined || b === undefined) continue;
      counts.comments += 1;
      const [times, timeHere] = [a.creation_time ?? a.time ?? '', b.creation_time ?? b.time ?? ''];
      const isRaised = times < timeHere && timeHere === previous;
      previous = timeHere;
      const fields: [string, unknown, unknown][] = [
        ['text', a.text, b.text],
        ['creator', a.creator, b.creator],
        ['creation_time', times, isRaised ? `${timeHere}${RAISED}` : timeHere],
        ['is_private', a.is_private, b.is_private],
        ['attachment_id', a.attachment_id, b.attachment_id],
        ['tags', normalized(a.tags ?? []), normalized(b.tags ?? [])],
        ['count', a.count, b.count],
      ];
      for (const [field, valueThere, valueHere] of fields) {
        const isDisclosed = field === 'is_private' && valueThere === true;
        await note(id, {
          ...{
            kind: isDisclosed ? 'shown here and hidden there' : 'comments',
            reader,
            where: `${where} ${comment}`,
            field,
          },
          ...{ there: valueThere, here: valueHere },
        });
      }
    }
  }

  /** Comments that are hidden from the API key there were not copied, though both sides show the same ones. */
  async function noteHidden(id: number, count: number): Promise<void> {
    const about = {
      kind: 'missing here',
      reader,
      where: `bug ${id}, comments`,
      field: 'hidden there',
    } as const;
    await note(id, { ...about, there: count, here: 0 });
  }

  async function compareAttachments(id: number, lists: Record<Side, AttachmentList>): Promise<void> {
    const whyOf = (side: Side) => ('why' in lists[side] ? lists[side].why : undefined);
    await noteUnread(id, 'attachments', { there: whyOf('there'), here: whyOf('here') });
    const listOf = (side: Side) => ('why' in lists[side] ? [] : lists[side]);
    const [there, here] = SIDES.map((side) => new Map(listOf(side).map((one) => [one.id, one])));
    if (there === undefined || here === undefined) return;
    const where = `bug ${id}, attachment`;
    for (const attachment of await compareIds(id, where, new Set(there.keys()), new Set(here.keys()))) {
      counts.attachments += 1;
      const hashes = await both((side) => readHash(side, attachment));
      const about = { kind: 'attachments', reader, where: `${where} ${attachment}` } as const;
      await note(id, { ...about, field: 'sha256', ...hashes });
      const [a, b] = [there.get(attachment), here.get(attachment)];
      const hereOf: Readonly<Record<string, unknown>> = b ?? {};
      for (const [field, value] of Object.entries(a ?? {})) {
        // The mark in the place of erased data is a text.
        const isOfMark = hashes.here !== hashes.there && ['content_type', 'is_patch'].includes(field);
        // The size is that of the data, which are compared.
        if (isOfMark || field === 'size') continue;
        const kind = field === 'is_private' && value === true ? 'shown here and hidden there' : 'attachments';
        await note(id, {
          ...{ ...about, kind, field },
          ...{ there: normalized(value), here: normalized(hereOf[field]) },
        });
      }
    }
  }

  /** Changes that one side has more often than the other. */
  async function compareChanges(
    id: number,
    there: readonly Change[],
    here: readonly Change[],
  ): Promise<void> {
    counts.changes += there.length;
    const about = { kind: 'histories', reader, where: `bug ${id}`, field: 'change' } as const;
    const left = [...here];
    const take = (isSame: (one: Change) => boolean) => {
      const at = left.findIndex(isSame);
      return at === -1 ? undefined : left.splice(at, 1)[0];
    };
    const missing = there.filter((change) => take(({ text }) => text === change.text) === undefined);
    for (const change of missing) {
      // Of the same field, by the same person: their login may be shortened on one side.
      const other =
        take((one) => one.place === change.place && one.who === change.who) ??
        (anonymous ? take((one) => one.place === change.place) : undefined);
      await note(id, { ...about, there: change.text, here: other?.text });
    }
    for (const { text } of left) await note(id, { ...about, there: undefined, here: text });
  }

  for (const some of portions(ids, { max: BUGS_PER_REQUEST })) {
    const bugs = await both((side) => readBugs(side, some));
    const changes = await both((side) => readChanges(side, some));
    const shown = some.filter((id) => bugs.there.has(id) && bugs.here.has(id));
    const attachments = await both((side) => listAttachments(sides[side], shown, { anonymous }));
    await mapConcurrent(
      some,
      async (id) => {
        const [there, here] = [bugs.there.get(id), bugs.here.get(id)];
        if (there === undefined || here === undefined) {
          const whyOf = (bug: SourceBug | undefined) => (bug === undefined ? MISSING : undefined);
          await noteUnread(id, 'fields', { there: whyOf(there), here: whyOf(here) });
          return;
        }
        if (there.last_change_time > here.last_change_time) stale.add(id);
        await compareFields(id, there, here);
        const whyOf = (side: Side) => (changes[side].has(id) ? undefined : MISSING);
        await noteUnread(id, 'history', { there: whyOf('there'), here: whyOf('here') });
        await compareChanges(id, changes.there.get(id) ?? [], changes.here.get(id) ?? []);
        await compareComments(id);
        await compareAttachments(id, {
          there: attachments.there.get(id) ?? { why: MISSING },
          here: attachments.here.get(id) ?? { why: MISSING },
        });
        counts.bugs += 1;
      },
      CONCURRENT_BUGS,
    );
    report(some.length);
  }
  return counts;
}

/** The changes of a field in a second by a person. */
interface Change {
  /** when, and of what */
  place: string;
  who: string;
  text: string;
}

/**
 * The changes in a history, each as a text. Those of one field in one second by one person are one, whose elements have an order of their
 * own: Bugzilla joins them, and has no order within a second.
 */
function changesIn(history: SourceHistory): Change[] {
  const all = history.flatMap(({ when, who, changes }) =>
    changes.map(({ field_name, removed, added, attachment_id: of }) => ({
      place: `${when} ${field_name}${of === undefined ? '' : ` of attachment ${of}`}`,
      ...{ who, removed, added },
    })),
  );
  const elements = (texts: readonly string[]) =>
    JSON.stringify(
      texts
        .flatMap((text) => text.split(', '))
        .filter((text) => text !== '')
        .sort()
        .join(', '),
    );
  return [...Map.groupBy(all, ({ place, who }) => `${place} ${who}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { place, who } = first;
    const [removed, added] = [same.map((one) => one.removed), same.map((one) => one.added)].map(elements);
    const [when = '', ...of] = place.split(' ');
    return [{ place, who, text: `${when} ${who} ${of.join(' ')} ${removed} -> ${added}` }];
  });
}

/** A value with lists in an order of their own, so that their order does not count; '' and null are absent. */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(normalized).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value ?? '';
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, normalized(field)]));
}
