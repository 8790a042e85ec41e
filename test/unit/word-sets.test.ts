import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BugWord, WordSets } from '../../infra/admin/check/word-sets.ts';

const bugWord = fc.record({
  word: fc.constantFrom('crash', 'crashes', '@ann@example.org', '*', 'größe'),
  bug: fc.integer({ min: 1, max: 30 }),
  isPrivate: fc.boolean(),
});
const nameOf = ({ word, bug, isPrivate }: BugWord) => `${word} ${bug} ${isPrivate}`;

it('compares the words of bugs, in as many parts as the memory needs', () => {
  fc.assert(
    fc.property(
      fc.array(bugWord, { maxLength: 200 }),
      fc.array(bugWord, { maxLength: 200 }),
      fc.constantFrom(5, 20, 1_000),
      (indexed, used, max) => {
        const compared = (options: { part?: number; parts?: number; max?: number }) => {
          const sets = new WordSets(options);
          for (const [at, word] of used.entries()) {
            sets.addUsed(word);
            const other = indexed[at];
            if (other !== undefined) sets.addIndexed(other);
          }
          for (const word of indexed.slice(used.length)) sets.addIndexed(word);
          return { parts: sets.parts, ...sets.compare() };
        };
        const first = compared({ max });
        const others = Array.from({ length: first.parts - 1 }, (_, at) =>
          compared({ part: at + 1, parts: first.parts }),
        );
        const incomplete = new Set([first, ...others].flatMap((one) => [...one.incomplete]));

        const known = new Set(indexed.map(nameOf));
        const isIndexed = (word: BugWord) =>
          known.has(nameOf(word)) || known.has(nameOf({ ...word, isPrivate: false }));
        expect(incomplete).toEqual(new Set(used.filter((word) => !isIndexed(word)).map(({ bug }) => bug)));
      },
    ),
  );
});
