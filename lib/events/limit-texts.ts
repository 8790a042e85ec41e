import { bytes } from '../text.ts';
import type { BugEvent } from './event.ts';

/** Of a text in an event, in bytes. functions/events/README.md 2 */
const MAX_TEXT_BYTES = 16_384;
/** Of an event: EventBridge takes 256 KB for all events of a call, with their names. */
export const MAX_EVENT_BYTES = 250_000;

/** Of texts in bytes, and of lists: the limits of an event, and stricter ones. The last ones leave names whole. */
const LIMITS = [
  { text: MAX_TEXT_BYTES, list: Number.POSITIVE_INFINITY },
  { text: 4_096, list: 1_000 },
  { text: 1_024, list: 200 },
  { text: 256, list: 20 },
] as const;
type Limit = (typeof LIMITS)[number];

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

function withLimit({ bug, event, ...rest }: BugEvent, limit: Limit): BugEvent {
  const cutter = cutTexts(limit);
  const { changes } = event;
  const shown = Object.fromEntries(
    Object.entries(bug).map(([name, value]) => [
      name,
      name === 'comment' ? limitPart(value, limit) : cutter.cutAll(value),
    ]),
  );
  const cutChanges = changes?.slice(0, limit.list).map(({ field, removed, added }) => ({
    ...{ field, removed: cutter.cut(removed), added: cutter.cut(added) },
  }));
  const isCut = cutter.hasCut() || cutChanges?.length !== changes?.length;
  return {
    ...rest,
    event: cutChanges === undefined ? event : { ...event, changes: cutChanges },
    bug: { ...shown, id: bug.id, is_private: bug.is_private, ...(isCut ? { truncated: true } : {}) },
  };
}

/** A comment, which says by itself whether it is cut. */
function limitPart(comment: unknown, limit: Limit): unknown {
  const cutter = cutTexts(limit);
  const limited = cutter.cutAll(comment);
  return cutter.hasCut() && typeof limited === 'object' ? { ...limited, truncated: true } : limited;
}

function cutTexts({ text: max, list }: Limit) {
  let hasCut = false;
  function cut(text: string): string {
    if (bytes(text) <= max) return text;
    hasCut = true;
    // A character that is cut in the middle is left out.
    return Buffer.from(text)
      .subarray(0, max)
      .toString('utf8')
      .replace(/\uFFFD+$/, '');
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
