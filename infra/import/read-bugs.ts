import { customKind } from '../../lib/bugs/fields/custom-field.ts';
import { FIELD_TYPES, KINDS } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../lib/bugs/fields/registry.ts';
import { repairedText } from '../../lib/catalogue/repaired-text.ts';
import { dateOf } from './clock.ts';
import { attachmentsOf, flagsOf, type Place, type SourceAttachment } from './read-attachments.ts';
import { type Page, type Referred, readParts } from './read-bug-parts.ts';
import { commentsOf } from './read-comments.ts';
import { historyOf } from './read-history.ts';
import type { SourceField } from './read-settings.ts';
import { ADDED_ID, type Source } from './read-source.ts';
import type { Row } from './row.ts';

/** A bug as it is read, not yet validated. */
export type SourceBug = Record<string, unknown> & { id: number; attachments: SourceAttachment[] };

/** Bugs that are read together. */
const PAGE = 200;
/** Room for the components of a product among the ids that are added. */
const MAX_COMPONENTS = 100_000;
const NOBODY = 'bugs that Bugzilla shows to nobody, and only administrators see here';
/** Group of the bugs that Bugzilla shows to nobody. */
export const HIDDEN_GROUP = 'hidden-in-bugzilla';

/** The texts of built-in fields, by column. */
const TEXTS = {
  short_desc: 'summary',
  bug_file_loc: 'url',
  status_whiteboard: 'whiteboard',
} as const;
const NAMES = {
  bug_severity: 'severity',
  op_sys: 'op_sys',
  priority: 'priority',
  rep_platform: 'platform',
  version: 'version',
  target_milestone: 'target_milestone',
  bug_status: 'status',
  resolution: 'resolution',
} as const;
/** The columns of bugs; `alias` is that of 4.4. */
const COLUMNS =
  `bug_id assigned_to creation_ts delta_ts product_id reporter component_id qa_contact everconfirmed alias
  reporter_accessible cclist_accessible estimated_time remaining_time deadline`.split(/\s+/);
const FIELDS = new Map(BUILT_IN_FIELDS.map((field) => [catalogueName(field), field]));

/** Reads the bugs one after the other, a page at a time, with all that belongs to each. */
export async function* readBugs(source: Source, referred: Referred): AsyncGenerator<SourceBug> {
  const { select } = source.database;
  const isMultiple = ({ type }: SourceField) => type === FIELD_TYPES.MULTI_SELECT;
  const single = referred.customFields.filter((field) => !isMultiple(field));
  const ids = new Set((await select('bugs', 'bug_id')).map((row) => row.number('bug_id')));
  const columns = [COLUMNS, Object.keys(TEXTS), Object.keys(NAMES), single.map(({ name }) => name)].flat();
  for (let after = 0; ; ) {
    const page = `WHERE bug_id > ${after} ORDER BY bug_id LIMIT ${PAGE}`;
    const bugs = await select('bugs', columns.join(' '), page);
    const last = bugs.at(-1)?.number('bug_id');
    if (last === undefined) return;
    const parts = await readParts(source, [after, last], referred.customFields.filter(isMultiple));
    const context = { ...source, ...referred, parts, single, ids };
    for (const row of bugs) yield await bugOf(row, context);
    after = last;
  }
}

async function bugOf(row: Row, page: Page): Promise<SourceBug> {
  const { clock, problems, names, parts } = page;
  const id = row.number('bug_id');
  const where = `bug ${id}`;
  const rowsOf = (kind: Exclude<keyof Page['parts'], 'multiple' | 'sizes' | 'summaries'>): readonly Row[] =>
    parts[kind].get(id) ?? [];
  const known = <T>(
    rows: readonly Row[],
    column: string,
    nameOf: (id: number) => T | undefined,
    what: string,
  ): T[] =>
    rows.flatMap((one): T[] => {
      const name = nameOf(one.number(column));
      if (name !== undefined) return [name];
      problems.add('rows without what they belong to', where, `${what} ${one.number(column)}`);
      return [];
    });
  const bugsIn = (rows: readonly Row[], column: string) =>
    known(rows, column, (one) => (page.ids.has(one) ? one : undefined), 'a dependency on bug');
  const created = clock.time(row.text('creation_ts'));
  const changed = clock.time(row.text('delta_ts'));
  const { history, omitted } = historyOf(rowsOf('activity'), page);
  if (omitted > 0) {
    problems.add(
      'history left out',
      where,
      `${omitted} changes of users or fields that are gone, as in Bugzilla`,
    );
  }
  const place = placeOf(row, page);
  const { product, component } = place;
  const attachments = await attachmentsOf(id, place, page);
  const oldest = created ?? changed ?? history[0]?.when;
  const reporter = names.login(row.number('reporter'));
  const comments = commentsOf(id, { reporter, oldest }, page);
  const texts = Object.entries(TEXTS).map(([column, name]) => {
    const field = FIELDS.get(name);
    const given = row.text(column);
    const repaired = field === undefined ? { value: given, problem: undefined } : repairedText(field, given);
    if (repaired.problem !== undefined)
      problems.add('bugs with changed texts', `${where}, ${name}`, repaired.problem);
    return [name, repaired.value] as const;
  });
  // A name that is blank takes the default.
  const values = Object.entries(NAMES)
    .map(([column, name]) => [name, row.text(column)] as const)
    .filter(([name, value]) => value !== '' || name === 'resolution');
  const duplicate =
    row.text('resolution') === 'DUPLICATE' ? rowsOf('duplicates')[0]?.number('dupe_of') : undefined;
  const aliases = rowsOf('aliases').map((one) => one.text('alias'));
  const bug: SourceBug = {
    id,
    product,
    component,
    ...Object.fromEntries([...texts, ...values]),
    aliases: [...aliases, row.text('alias')].filter((alias) => alias !== ''),
    reporter,
    assigned_to: names.login(row.number('assigned_to')),
    qa_contact: row.has('qa_contact') ? (names.knownLogin(row.number('qa_contact')) ?? '') : '',
    cc: known(rowsOf('cc'), 'who', names.knownLogin, 'on CC: user'),
    groups: rowsOf('groups').map((one) => names.group(one.number('group_id'))),
    keywords: known(rowsOf('keywords'), 'keywordid', (one) => page.keywordNames.get(one), 'keyword'),
    see_also: rowsOf('seeAlso')
      .map((one) => one.text('value'))
      .sort(),
    blocks: bugsIn(rowsOf('blocks'), 'blocked'),
    depends_on: bugsIn(rowsOf('dependsOn'), 'dependson'),
    dupe_of: duplicate === id ? null : (duplicate ?? null),
    creation_time: oldest,
    last_change_time: changed ?? oldest,
    is_confirmed: row.boolean('everconfirmed'),
    is_creator_accessible: row.boolean('reporter_accessible'),
    is_cc_accessible: row.boolean('cclist_accessible'),
    estimated_time: Math.max(0, row.number('estimated_time')),
    remaining_time: Math.max(0, row.number('remaining_time')),
    deadline: dateOf(row.text('deadline')) ?? null,
    ...Object.fromEntries(page.single.map((field) => [field.name, customValue(row, field, page)])),
    ...Object.fromEntries(
      [...parts.multiple].map(([name, byBug]) => [
        name,
        (byBug.get(id) ?? []).map((one) => one.text('value')),
      ]),
    ),
    flags: flagsOf(
      rowsOf('flags').filter((one) => !one.has('attach_id')),
      where,
      place,
      page,
    ),
    comments,
    history,
    attachments,
  };
  if (created !== undefined) return bug;
  problems.add(NOBODY, where, 'it has no creation time; its people are left out, so that they do not see it');
  const people = { qa_contact: '', assigned_to: '', cc: [] };
  const hidden = { is_creator_accessible: false, is_cc_accessible: false, groups: [HIDDEN_GROUP] };
  return { ...bug, ...people, ...hidden };
}

/** The product and the component of a bug; of one that is gone, or is of another product, a stand-in. */
function placeOf(row: Row, { problems, products }: Page): Place {
  const [product, component] = [products.get(row.number('product_id')), row.number('component_id')];
  if (product === undefined) return { product: '', component: '', types: [] };
  let name = product.components.get(component);
  if (name === undefined) {
    const other = [...products.values()].find(({ components }) => components.has(component));
    const gone = `gone-component-${component}`;
    name = other === undefined ? gone : `${other.components.get(component)} of ${other.name}`;
    name = [...name].slice(0, 64).join('').trim();
    if ([...product.components.values()].includes(name)) name = gone;
    product.components.set(component, name);
    const added = (row.number('product_id') * MAX_COMPONENTS + component) % ADDED_ID;
    product.standIns.push({ id: ADDED_ID + added, name, is_active: false });
    const why = `component ${component} of bug ${row.number('bug_id')} is none of the product: '${name}'`;
    problems.add(
      'users, groups and products that are gone, with stand-ins',
      `product '${product.name}'`,
      why,
    );
  }
  return { product: product.name, component: name, types: product.flagTypes };
}

/** The value of a custom field as catalogues have it. */
function customValue(row: Row, { name, type }: SourceField, { clock }: Page): unknown {
  if (!row.has(name)) return null;
  if (type === FIELD_TYPES.DATE_TIME) return clock.time(row.text(name)) ?? null;
  if (type === FIELD_TYPES.DATE) return dateOf(row.text(name)) ?? null;
  if (type === FIELD_TYPES.BUG_ID || type === FIELD_TYPES.INTEGER) return row.number(name);
  const text = row.text(name);
  return text === '' || text === KINDS[customKind(type)].empty ? null : text;
}
