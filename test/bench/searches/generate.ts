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
const lines = (text: string): string[] => text.split('\n');

const CALLERS = [...words('admin user insider tracker plain secret noedit'), ANONYMOUS];
const CUSTOM = words(
  'cf_text cf_large cf_choice cf_multi cf_when cf_day cf_bug cf_int cf_later cf_ui cf_must',
);
const CHART_FIELDS = [
  ...BUILT_IN_FIELDS.flatMap(({ name }) => name ?? []),
  ...words('attach_data.thedata attachments.ispatch attachments.isobsolete attachments.isprivate'),
  ...words('creation_time last_change_time status depends_on blocks owner_idle_time tag dupe_of'),
  ...CUSTOM,
];
const OPERATORS = [
  ...words('equals notequals anyexact substring casesubstring notsubstring anywordssubstr allwordssubstr'),
  ...words('nowordssubstr regexp notregexp lessthan lessthaneq greaterthan greaterthaneq anywords allwords'),
  ...words('nowords matches notmatches changedbefore changedafter changedfrom changedto changedby isempty'),
  'isnotempty',
];
const PARAMETERS = [
  ...words('id alias product component version status resolution priority severity op_sys platform summary'),
  ...words('whiteboard url keywords assigned_to creator qa_contact cc creation_time last_change_time'),
  ...words('target_milestone see_also blocks depends_on groups is_confirmed is_open deadline estimated_time'),
  ...words('tags bug_status short_desc rep_platform classification cf_text cf_choice cf_multi cf_int'),
];
const PEOPLE = words('admin@example.com user@example.com insider@example.com noedit@example.com %user%');
const TIMES = [...words('2024-01-02 2024-03-01 1d 3m 2y -1d 2024-03-04T10:00:00Z Now'), '2024-03-07 11:00'];
const NUMBERS = words('0 1 2 3 5 6 8 10 40 45 100 1.5 -1 01');
const TEXTS = [
  ...words('crash fixed the secret a b 1 2 3 10 0 -1 1.5 Alpha Core UI ALL OPEN CONFIRMED RESOLVED'),
  ...words(
    'VERIFIED FIXED WORKSFORME DUPLICATE --- High Low major enhancement PC Linux regression easy perf',
  ),
  ...words('Ünï unused example.com %group.secret-team% %reporter% %assignee% needinfo needinfo? blocker+'),
  ...words('review text/plain image/png fix M1 G1 1.0 unspecified insiders Server Client red green Blue One'),
  ...words(
    'true false https:// example page % _ . ^a $ [ ( x* Bug spam obsolete triage Ünïcode 日本 " \' \\ 😀',
  ),
  ...lines('two words\nwith, comma\nÜnï wert\nbug 1'),
  ...PEOPLE,
  ...TIMES,
];
const PREFIXES = [
  ...['', '', '', '', '-', '!', '#', ':', '@', '=', 'P1', 'OPEN', 'ALL', '+'],
  ...words('summary: status: prio: assignee: cc: reporter: product: component: kw: flag: sev: url: ver:'),
  ...words('milestone: alias: group: content: comment: cf_text: cf_int> id: whiteboard: deadline:'),
];
const ORDERS = lines(`bug_id DESC
priority,bug_id
bug_severity DESC,bug_id
short_desc,bug_id
changeddate DESC,bug_id
assigned_to,bug_id
reporter_realname,bug_id
target_milestone,bug_id
resolution DESC,bug_id
deadline,bug_id
longdescs.count,bug_id
version,bug_id
keywords,bug_id
nosuch,bug_id
status_whiteboard,bug_id`);

/** Fields of whose values a random text says little. */
const isTime = (field: string) => /^(creation_|delta_ts|last_change|cf_when|cf_day|deadline)/.test(field);
const isNumber = (field: string) =>
  /^(bug_id|longdescs\.|days_|block|depend|estimated|remaining|work_time|actual|percent|cf_int|cf_bug|dupe_of|everconf|is_|attachments\.is|.*accessible$)/.test(
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
    let field = pick(CHART_FIELDS);
    return [
      ...joiner,
      ...Array.from({ length: count }, (_, at) => at + 1).flatMap((n): Search['parameters'] => {
        if (n > 1 && chance(0.5)) field = pick(CHART_FIELDS);
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
