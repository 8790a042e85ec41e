import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { loadMatcher, patternTest } from '../../lib/search/conditions/regexp.ts';
import { RequestBudget } from '../../lib/table/request-budget.ts';
import { isLong } from '../support/sample.ts';

beforeAll(() => loadMatcher());

/** Within the Basic Multilingual Plane: V8 finds `\B` between the two halves of other characters. */
const character = fc.constantFrom(...'abBks1_ -\néÉſßẞΣςıİ\u212a\u2028');
const inClass = character.map((one) => (one === '-' ? '\\-' : one));
const escaped = fc.constantFrom(
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\n',
  '\\x61',
  '\\u0042',
  '\\u{e9}',
  '\\.',
);
const classItem = fc.oneof(
  { weight: 3, arbitrary: inClass },
  fc.constantFrom('a-k', 'A-C', '0-9', ' -_', 'é-é', '\\b'),
  escaped,
);
const set = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(classItem, { minLength: 1, maxLength: 3 }))
  .map(([start, items]) => `${start}${items.join('')}]`);
const quantifier = fc
  .tuple(fc.constantFrom('*', '+', '?', '{0}', '{2}', '{1,}', '{0,2}', '{2,3}'), fc.constantFrom('', '?'))
  .map((parts) => parts.join(''));

const { pattern } = fc.letrec<{
  pattern: string;
  choice: string;
  sequence: string;
  repeated: string;
  atom: string;
}>((tie) => ({
  pattern: tie('choice'),
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: fc.array(tie('repeated'), { maxLength: 4 }).map((parts) => parts.join('')),
  repeated: fc.oneof(
    { weight: 3, arbitrary: tie('atom') },
    fc.tuple(tie('atom'), quantifier).map((parts) => parts.join('')),
    fc.constantFrom('^', '$', '\\b', '\\B'),
  ),
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    character,
    fc.constant('.'),
    escaped,
    set,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<name>'), tie('choice'))
      .map(([start, inner]) => `${start}${inner})`),
  ),
}));

it('a regular expression finds what the engine of JavaScript finds', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.array(character, { maxLength: 8 }), { minLength: 5, maxLength: 5 }),
      (given, texts) => {
        // A name may be given to one group only, and to none in another engine.
        const source = given.replaceAll('(?<name>', '(');
        const expected = new RegExp(source, 'iu');
        const test = patternTest(given, new RequestBudget());
        for (const text of texts.map((one) => one.join(''))) {
          expect([source, text, test(text)]).toEqual([source, text, expected.test(text)]);
        }
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 700) },
  );
});

it('any text is a regular expression or is refused', () => {
  const unit = fc.constantFrom(...'ab(|)[]^-:{}1,2*+?\\dpPu<>=!.$ ', 'alpha', '[:', ':]', '[:alpha:]');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      try {
        patternTest(units.join(''), new RequestBudget())('abc');
      } catch (error) {
        expect(error).toMatchObject({ code: 32000 });
      }
    }),
    { numRuns: isLong ? 3_000 : 1_000 },
  );
});
