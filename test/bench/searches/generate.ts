import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { randomNumbers } from '../../support/random.ts';

/** A search: its caller, by the name of an API key of the catalogue, and its parameters in their order. */
export interface Search {
  as: string;
  parameters: [name: string, value: string][];
}

/** Has no API key. */
export const ANONYMOUS = 'nobody';

const words = (text: string): string[] => text.split(/\s+/);

const CALLERS = [...words('admin user insider tracker plain secret noedit'), ANONYMOUS];
const CUSTOM = words('cf_text cf_large cf_choice cf_multi cf_when cf_day cf_bug cf_int cf_ui cf_must');
const CHARTED = [
  ...BUILT_IN_FIELDS.filter(({ id }) => id !== undefined).map(({ name }) => name),
  ...words('owner_idle_time tag dupe_of'),
  ...CUSTOM,
];
const PARAMETERS = [
  ...BUILT_IN_FIELDS.flatMap(({ rest }) => rest ?? []),
  ...words('bug_status rep_platform'),
  ...CUSTOM,
];
const OPERATORS =
  words(`equals notequals anyexact substring casesubstring notsubstring anywordssubstr allwordssubstr
nowordssubstr regexp notregexp lessthan lessthaneq greaterthan greaterthaneq anywords allwords nowords matches notmatches
changedbefore changedafter changedfrom changedto changedby isempty isnotempty`);
const PEOPLE = words('admin@example.com user@example.com insider@example.com noedit@example.com %user%');
const TIMES = [...words('2024-01-02 2024-03-01 1d 3m 2y -1d 2024-03-04T10:00:00Z Now'), '2024-03-07 11:00'];
const NUMBERS = words('0 1 2 3 5 6 8 10 40 45 100 1.5 -1 01');
const TEXTS = [
  ...words(`crash fixed the secret a b 1 2 3 10 0 -1 1.5 Alpha Core UI ALL OPEN CONFIRMED RESOLVED VERIFIED FIXED WORKSFORME
DUPLICATE --- High Low major enhancement PC Linux regression easy perf Ünï unused example.com %group.secret-team% %reporter%
%assignee% needinfo needinfo? blocker+ review text/plain image/png fix M1 G1 1.0 unspecified insiders Server Client red green
Blue One true false https:// example page % _ . ^a $ [ ( x* Bug spam obsolete triage Ünïcode 日本 " ' \\ 😀`),
  ...['two words', 'with, comma', 'Ünï wert', 'bug 1', ...PEOPLE, ...TIMES],
];
const PREFIXES = [
  ...['', '', '', '', '-', '!', '#', ':', '@', '=', 'P1', 'OPEN', 'ALL', '+'],
  ...words(`summary: status: prio: assignee: cc: reporter: product: component: kw: flag: sev: url: ver: milestone: alias: group:
content: comment: cf_text: cf_int> id: whiteboard: deadline:`),
];
const ORDERS =
  words(`bug_id priority bug_severity short_desc changeddate assigned_to reporter_realname target_milestone resolution
deadline longdescs.count version keywords nosuch status_whiteboard`).flatMap((name) => [
    `${name},bug_id`,
    `${name} DESC,bug_id`,
  ]);

const isTime = (field: string) => /^(creation_|delta_ts|last_change|cf_when|cf_day|deadline)/.test(field);
const isNumber = (field: string) =>
  /^(bug_id|longdescs\.|days_|block|depend|.*_time$|percent|cf_int|cf_bug|dupe_of|everconf|attachments\.is|.*accessible$)/.test(
    field,
  );

/** Random searches from a seed, without end; the same ones from the same seed. */
export function* randomSearches(seed: number): Generator<Search, never> {
  const next = randomNumbers(seed);
  const chance = (share: number) => next() < share;
  function pick<T extends string | number>(list: readonly T[]): T {
    const chosen = list[Math.floor(next() * list.length)];
    if (chosen === undefined) throw new Error('The list is empty');
    return chosen;
  }
  /** One value, two by comma, blank or both, in capitals, or between blanks. */
  function spelled(values: readonly string[]): string {
    const kind = next();
    const [one, two] = [pick(values), pick(values)];
    if (kind < 0.65) return one;
    if (kind < 0.78) return `${one},${two}`;
    if (kind < 0.88) return `${one} ${two}`;
    if (kind < 0.92) return `${one}, ${two}`;
    return kind < 0.96 ? one.toUpperCase() : ` ${one} `;
  }
  function valueFor(field: string, operator: string): string {
    if (chance(0.12)) return spelled(TEXTS);
    if (/^changed(before|after)$/.test(operator) || isTime(field)) return pick(TIMES);
    if (operator === 'changedby') return pick(PEOPLE);
    return spelled(isNumber(field) ? NUMBERS : TEXTS);
  }
  function charts(): Search['parameters'] {
    const count = pick([1, 1, 1, 2, 2, 3]);
    const joiner: Search['parameters'] =
      count > 1 && chance(0.35) ? [['j_top', pick(words('OR AND AND_G'))]] : [];
    let field = pick(CHARTED);
    return [
      ...joiner,
      ...Array.from({ length: count }, (_, at) => at + 1).flatMap((n): Search['parameters'] => {
        if (n > 1 && chance(0.5)) field = pick(CHARTED);
        const operator = pick(OPERATORS);
        const isFullText = /matches/.test(operator);
        if (isFullText !== (field === 'content') && chance(0.8))
          field = isFullText ? 'content' : 'short_desc';
        return [
          [`f${n}`, field],
          [`o${n}`, operator],
          [`v${n}`, valueFor(field, operator)],
          ...(chance(0.15) ? [[`n${n}`, '1'] satisfies [string, string]] : []),
        ];
      }),
    ];
  }
  function quicksearch(): string {
    const terms = Array.from({ length: pick([1, 1, 2, 2, 3]) }, () => {
      const alternative = chance(0.15) ? pick(['|', '||', ',']) + pick(TEXTS).trim() : '';
      const term = `${pick(TEXTS).trim()}${alternative}`;
      return pick(PREFIXES) + (chance(0.1) ? `"${term}"` : term);
    });
    if (chance(0.12)) terms.splice(1, 0, pick(['OR', 'AND', 'NOT', '(', ')', 'ALL+']));
    return terms.join(' ');
  }
  function conditions(): Search['parameters'] {
    const kind = next();
    if (kind < 0.62) return charts();
    if (kind >= 0.82) return [['quicksearch', quicksearch()]];
    return Array.from({ length: pick([1, 1, 2, 3]) }, () => [pick(PARAMETERS), spelled(TEXTS)]);
  }
  for (;;) {
    const parameters = conditions();
    const [limit, offset] = [chance(0.1), chance(0.07)];
    // What is cut off depends on the order.
    if (limit || offset || chance(0.15)) parameters.push(['order', pick(ORDERS)]);
    if (limit) parameters.push(['limit', pick(['5', '0', '', '1', '100000'])]);
    if (offset) parameters.push(['offset', pick(['2', '0', '1', '50'])]);
    yield { as: pick(CALLERS), parameters };
  }
}
