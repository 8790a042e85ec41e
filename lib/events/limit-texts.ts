import { bytes } from '../text.ts';
import type { BugEvent } from './event.ts';

/** Of a text in an event, in bytes. functions/events/README.md 2 */
const MAX_TEXT_BYTES = 16_384;
/** Of an event: EventBridge takes 256 KB for all events of a call, with their names. */
export const MAX_EVENT_BYTES = 250_000;

/**
 * An event as JSON, of a size that EventBridge takes: longer texts are cut, and what they belong to has `truncated`. Where
 * that is not enough, because the bug has very many long texts, all are cut shorter.
 */
export function eventText(event: BugEvent): string {
  for (let max = MAX_TEXT_BYTES; ; max /= 4) {
    const text = JSON.stringify(withLimit(event, max));
    if (bytes(text) <= MAX_EVENT_BYTES || max < 1) return text;
  }
}

function withLimit({ bug, event, ...rest }: BugEvent, max: number): BugEvent {
  const cutter = cutTexts(max);
  const changes = event.changes?.map(({ field, removed, added }) => ({
    ...{ field, removed: cutter.cut(removed), added: cutter.cut(added) },
  }));
  const shown = Object.fromEntries(
    Object.entries(bug).map(([name, value]) => [
      name,
      name === 'comment' ? limitPart(value, max) : cutter.cutAll(value),
    ]),
  );
  return {
    ...rest,
    event: changes === undefined ? event : { ...event, changes },
    bug: {
      ...shown,
      id: bug.id,
      is_private: bug.is_private,
      ...(cutter.hasCut() ? { truncated: true } : {}),
    },
  };
}

/** A comment, which says by itself whether it is cut. */
function limitPart(comment: unknown, max: number): unknown {
  const cutter = cutTexts(max);
  const limited = cutter.cutAll(comment);
  return cutter.hasCut() && typeof limited === 'object' ? { ...limited, truncated: true } : limited;
}

function cutTexts(max: number) {
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
    if (Array.isArray(value)) return value.map(cutAll);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutAll(one)]));
  }
  return { cut, cutAll, hasCut: () => hasCut };
}
