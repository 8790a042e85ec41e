import { bytes } from '../../base/text.ts';
import type { BugEvent } from './event.ts';

/** Of a text in an event, in bytes of its JSON. functions/events/README.md 2 */
const MAX_EVENT_TEXT_BYTES = 16_384;
/** Of an event: EventBridge takes 256 KB for all events of a call, with their names. */
export const MAX_EVENT_BYTES = 250_000;

/** Of texts in bytes of their JSON, and of the elements of lists. */
interface Limit {
  text: number;
  list: number;
}

/**
 * The limits of an event, and stricter ones. Names stay whole, by which rules select: the last ones are stricter for custom
 * fields alone, of which a bug may have hundreds.
 */
const LIMITS: readonly (Limit & { custom?: Limit })[] = [
  { text: MAX_EVENT_TEXT_BYTES, list: Number.POSITIVE_INFINITY },
  { text: 4_096, list: 1_000 },
  { text: 1_024, list: 200 },
  { text: 512, list: 20 },
  { text: 512, list: 20, custom: { text: 64, list: 2 } },
  { text: 512, list: 20, custom: { text: 0, list: 0 } },
];

/**
 * An event as JSON, of a size that EventBridge takes: longer texts are cut, and what they belong to has `truncated`. Where
 * that is not enough, because the bug has very many of them, texts and lists are cut shorter.
 */
export function eventText(event: BugEvent): string {
  const texts = LIMITS.values().map((limit) => JSON.stringify(withLimit(event, limit)));
  let last = '';
  for (const text of texts) {
    last = text;
    if (bytes(text) <= MAX_EVENT_BYTES) break;
  }
  return last;
}

function withLimit({ bug, event, ...rest }: BugEvent, limit: (typeof LIMITS)[number]): BugEvent {
  const cutter = cutTexts(limit);
  const custom = limit.custom === undefined ? cutter : cutTexts(limit.custom);
  const cutterOf = (field: string) => (isCustomName(field) ? custom : cutter);
  const { changes } = event;
  const shown = Object.fromEntries(
    Object.entries(bug).map(([name, value]) => [
      name,
      name === 'comment' ? limitPart(value, limit) : cutterOf(name).cutAll(value),
    ]),
  );
  const cutChanges = changes?.slice(0, limit.list).map(({ field, removed, added }) => ({
    ...{ field, removed: cutterOf(field).cut(removed), added: cutterOf(field).cut(added) },
  }));
  const isCut = cutter.hasCut() || custom.hasCut() || cutChanges?.length !== changes?.length;
  return {
    ...rest,
    event: cutChanges === undefined ? event : { ...event, changes: cutChanges },
    bug: { ...shown, id: bug.id, is_private: bug.is_private, ...(isCut ? { truncated: true } : {}) },
  };
}

const isCustomName = (field: string): boolean => field.startsWith('cf_');

/** A comment, which says by itself whether it is cut. */
function limitPart(comment: unknown, limit: Limit): unknown {
  const cutter = cutTexts(limit);
  const limited = cutter.cutAll(comment);
  return cutter.hasCut() && typeof limited === 'object' ? { ...limited, truncated: true } : limited;
}

/** Bytes of a character in JSON. */
const jsonBytes = (character: string): number => bytes(JSON.stringify(character)) - 2;

/** What a UTF-16 code unit takes in JSON at most: `\u0001`. */
const MAX_UNIT_BYTES = 6;

function cutTexts({ text: max, list }: Limit) {
  let hasCut = false;
  const sizes = new Map<string, number>();
  function cut(text: string): string {
    if (text.length * MAX_UNIT_BYTES <= max) return text;
    // Characters of a text are few different ones.
    let [length, size] = [0, 0];
    for (const character of text) {
      const known = sizes.get(character) ?? jsonBytes(character);
      sizes.set(character, known);
      size += known;
      if (size > max) {
        hasCut = true;
        return text.slice(0, length);
      }
      length += character.length;
    }
    return text;
  }
  function cutAll(value: unknown): unknown {
    if (typeof value === 'string') return cut(value);
    if (Array.isArray(value)) {
      if (value.length > list) hasCut = true;
      return value.slice(0, list).map(cutAll);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutAll(one)]));
  }
  return { cut, cutAll, hasCut: () => hasCut };
}
