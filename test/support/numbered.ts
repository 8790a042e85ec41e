import { parseCatalogue } from '../../lib/catalogue/read.ts';

interface Entry {
  id?: number;
  bugs?: Entry[];
  comments?: Entry[];
  flags?: Entry[];
  attachments?: Entry[];
}

const LISTS = ['bugs', 'comments', 'flags', 'attachments'] as const;

/** A copy of a catalogue in which bugs, comments, attachments and flags without ids have some, above those that are there. */
export function numbered<T extends object>(given: T): T {
  const catalogue = structuredClone(given);
  for (const list of LISTS) {
    const entries = entriesOf(catalogue, list);
    let last = Math.max(0, ...entries.map(({ id }) => id ?? 0));
    for (const entry of entries) entry.id ??= ++last;
  }
  return catalogue;
}

/** The entries of one of the lists, of whatever they belong to. */
const entriesOf = (holder: Entry, wanted: (typeof LISTS)[number]): Entry[] =>
  LISTS.flatMap((list) =>
    (holder[list] ?? []).flatMap((one) => [...(list === wanted ? [one] : []), ...entriesOf(one, wanted)]),
  );

/** A catalogue whose bugs, comments, attachments and flags get ids where they have none. */
export const parseNumbered = (given: object) => parseCatalogue(numbered(given));
