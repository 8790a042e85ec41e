import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type DifferenceKind,
  differenceKinds,
  type FoundDifference,
  type Mend,
  mendedBy,
  RULES,
  type RuleContext,
} from './rules.ts';

/** In characters of JSON: the file of differences is for people. */
const MAX_VALUE_LENGTH = 500;
/** Of each kind, in the result. */
const MAX_SHOWN = 20;

const MENDED_BY: Record<Mend, string> = {
  next: 'the next import mends it',
  everything: '--everything mends it',
  none: 'no import mends it',
};

/** Differences of one kind. */
export interface KindOfDifferences {
  kind: DifferenceKind;
  count: number;
  /** the first ones, in words */
  first: string[];
}

export type Differences = Awaited<ReturnType<typeof openDifferences>>;

/** Writes differences to a file as lines of JSON, which only its owner can read, and counts them, and those that are intended. */
export async function openDifferences(path: string, context: RuleContext) {
  await mkdir(dirname(path), { recursive: true });
  const file: FileHandle = await open(path, 'w', 0o600);
  const found = new Map<DifferenceKind, KindOfDifferences>();
  const intended = new Map<string, number>();

  return {
    /** Compares a value, and notes a difference. */
    async compare(difference: FoundDifference): Promise<void> {
      if (isDeepStrictEqual(difference.there, difference.here)) return;
      const rule = RULES.find(({ holds }) => holds(difference, context));
      if (rule !== undefined) {
        intended.set(rule.name, (intended.get(rule.name) ?? 0) + 1);
        return;
      }
      const { kind, reader, where, field } = difference;
      const known = found.get(kind) ?? { kind, count: 0, first: [] };
      known.count += 1;
      const mended_by = mendedBy(difference);
      const [there, here] = [shown(difference.there), shown(difference.here)];
      if (known.first.length < MAX_SHOWN)
        known.first.push(
          `${where}, ${field}, ${reader}: there ${there}, here ${here} (${MENDED_BY[mended_by]})`,
        );
      found.set(kind, known);
      await file.appendFile(`${JSON.stringify({ kind, reader, where, field, there, here, mended_by })}\n`);
    },

    /** By kind, the most important ones first. */
    found: (): KindOfDifferences[] => differenceKinds.flatMap((kind) => found.get(kind) ?? []),

    /** How often each rule of what is written otherwise on purpose held. */
    intended: () =>
      RULES.flatMap(({ name, why }) => {
        const count = intended.get(name) ?? 0;
        return count === 0 ? [] : [{ rule: name, why, count }];
      }),

    close: (): Promise<void> => file.close(),
  };
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`;
}
