import { characters, trimEnd } from '../../lib/base/text.ts';
import { ERASED_FIELDS } from '../../lib/bugs/attachments/erased.ts';
import { attachmentHeading } from '../../lib/bugs/attachments/presenter.ts';
import { MAX_DATA_BYTES, parseContentType } from '../../lib/bugs/attachments/validation.ts';
import { MAX_TAGS } from '../../lib/bugs/comment-tags/validation.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import { customKind } from '../../lib/bugs/fields/custom-field.ts';
import { FIELD_TYPES, KINDS } from '../../lib/bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName } from '../../lib/bugs/fields/registry.ts';
import { repairedText } from '../../lib/catalogue/repaired-text.ts';
import { type AttachmentData, MAX_ATTACHMENTS } from '../../lib/catalogue/schema-bugs.ts';
import { dateOf } from './clock.ts';
import { type AttachmentReader, attachmentReader } from './read-attachment.ts';
import { ACTIVITY, historyOf } from './read-history.ts';
import type { Names } from './read-people.ts';
import type { SourceProduct } from './read-products.ts';
import type { SourceField } from './read-settings.ts';
import type { Source } from './read-source.ts';
import type { Row } from './row.ts';

/** What the columns of bugs refer to. */
export interface Referred {
  names: Names;
  products: ReadonlyMap<number, SourceProduct>;
  fieldNames: ReadonlyMap<number, string>;
  keywordNames: ReadonlyMap<number, string>;
  customFields: readonly SourceField[];
}

/** A bug as it is read, not yet validated. */
export type SourceBug = Record<string, unknown> & { id: number; attachments: SourceAttachment[] };
type SourceAttachment = Record<string, unknown> & { id: number; data: AttachmentData };

/** Bugs that are read together. */
const PAGE = 200;
/** Rows of a history that are read together, and that a bug has at most. */
const MAX_ROWS = 20_000;
const MAX_HISTORY = 100_000;
/** The least id of what Bugzilla does not have, and is added: the same in each run, and none that Bugzilla gives meanwhile. */
export const ADDED_ID = 1_000_000_000;
/** Room for the components of a product among the ids that are added. */
const MAX_COMPONENTS = 100_000;
const NOBODY = 'bugs that Bugzilla shows to nobody, and only administrators see here';
/** Group of the bugs that Bugzilla shows to nobody. */
export const HIDDEN_GROUP = 'hidden-in-bugzilla';
const UNKNOWN_TYPE = 'application/octet-stream';

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
const COLUMNS = [
  ...[
    'bug_id',
    'assigned_to',
    'creation_ts',
    'delta_ts',
    'product_id',
    'reporter',
    'component_id',
    'qa_contact',
  ],
  ...[
    'everconfirmed',
    'reporter_accessible',
    'cclist_accessible',
    'estimated_time',
    'remaining_time',
    'deadline',
  ],
  // Of 4.4, which has one alias.
  'alias',
  ...Object.keys(TEXTS),
  ...Object.keys(NAMES),
];
const FIELDS = new Map(BUILT_IN_FIELDS.map((field) => [catalogueName(field), field]));

/** Reads the bugs one after the other, a page at a time, with all that belongs to each. */
export async function* readBugs(source: Source, referred: Referred): AsyncGenerator<SourceBug> {
  const { select, lengths } = source.database;
  const multiple = referred.customFields.filter(({ type }) => type === FIELD_TYPES.MULTI_SELECT);
  const single = referred.customFields.filter(({ type }) => type !== FIELD_TYPES.MULTI_SELECT);
  const reader = attachmentReader(source);
  const ids = new Set((await select('bugs', ['bug_id'])).map((row) => row.number('bug_id')));
  const columns = [...COLUMNS, ...single.map(({ name }) => name)];
  for (let after = 0; ; ) {
    const bugs = await select('bugs', columns, `WHERE bug_id > ${after} ORDER BY bug_id LIMIT ${PAGE}`);
    const last = bugs.at(-1)?.number('bug_id');
    if (last === undefined) return;
    const range = (column = 'bug_id') => `WHERE ${column} > ${after} AND ${column} <= ${last}`;
    const rowsOf = async (table: string, wanted: string[], rest = '', column = 'bug_id') =>
      Map.groupBy(await select(table, [column, ...wanted], `${range(column)} ${rest}`), (row) =>
        row.number(column),
      );
    const ofComments = `WHERE comment_id IN (SELECT comment_id FROM longdescs ${range()}) ORDER BY id`;
    const parts: Parts = {
      comments: await rowsOf(
        'longdescs',
        ['comment_id', 'who', 'bug_when', 'work_time', 'thetext', 'isprivate', 'type', 'extra_data'],
        'ORDER BY comment_id',
      ),
      tags: Map.groupBy(await select('longdescs_tags', ['comment_id', 'tag'], ofComments), (row) =>
        row.number('comment_id'),
      ),
      activity: await readActivity(source, range()),
      attachments: await rowsOf(
        'attachments',
        [
          ...[
            'attach_id',
            'creation_ts',
            'modification_time',
            'description',
            'mimetype',
            'ispatch',
            'filename',
          ],
          ...['submitter_id', 'isobsolete', 'isprivate'],
        ],
        'ORDER BY attach_id',
      ),
      sizes: await lengths(
        'attach_data',
        'id',
        'thedata',
        `WHERE id IN (SELECT attach_id FROM attachments ${range()})`,
      ),
      flags: await rowsOf(
        'flags',
        [
          'id',
          'type_id',
          'status',
          'attach_id',
          'creation_date',
          'modification_date',
          'setter_id',
          'requestee_id',
        ],
        'ORDER BY id',
      ),
      groups: await rowsOf('bug_group_map', ['group_id']),
      cc: await rowsOf('cc', ['who']),
      keywords: await rowsOf('keywords', ['keywordid']),
      seeAlso: await rowsOf('bug_see_also', ['value']),
      aliases: await rowsOf('bugs_aliases', ['alias']),
      blocks: await rowsOf('dependencies', ['blocked'], '', 'dependson'),
      dependsOn: await rowsOf('dependencies', ['dependson'], '', 'blocked'),
      duplicates: await rowsOf('duplicates', ['dupe_of'], '', 'dupe'),
      multiple: new Map(),
      summaries: new Map(),
    };
    await addSummaries(source, parts);
    for (const { name } of multiple) parts.multiple.set(name, await rowsOf(`bug_${name}`, ['value']));
    for (const row of bugs) yield await bugOf(row, parts, single, { source, referred, reader, ids });
    after = last;
  }
}

/** Adds the summaries of attachments that comments are about, also of those of other bugs. */
async function addSummaries({ database: { select } }: Source, parts: Parts): Promise<void> {
  const add = (rows: readonly Row[]) => {
    for (const row of rows) parts.summaries.set(row.number('attach_id'), row.text('description'));
  };
  for (const rows of parts.attachments.values()) add(rows);
  const named = [...parts.comments.values()].flat().flatMap((row) => attachmentOf(row) ?? []);
  const others = [...new Set(named)].filter((id) => !parts.summaries.has(id));
  if (others.length === 0) return;
  add(await select('attachments', ['attach_id', 'description'], `WHERE attach_id IN (${others.join()})`));
}

/** The rows of the histories of bugs; of one with more than MAX_HISTORY the latest. */
async function readActivity(
  { database: { select }, problems }: Source,
  range: string,
): Promise<Map<number, Row[]>> {
  const byBug = new Map<number, Row[]>();
  for (let after = 0; ; ) {
    const rows = await select(
      'bugs_activity',
      ACTIVITY,
      `${range} AND id > ${after} ORDER BY id LIMIT ${MAX_ROWS}`,
    );
    for (const row of rows) {
      const bug = row.number('bug_id');
      const known = byBug.get(bug) ?? [];
      if (known.length === 2 * MAX_HISTORY) known.splice(0, MAX_HISTORY);
      known.push(row);
      byBug.set(bug, known);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < MAX_ROWS) break;
    after = last.number('id');
  }
  for (const [bug, rows] of byBug) {
    if (rows.length <= MAX_HISTORY) continue;
    byBug.set(bug, rows.slice(-MAX_HISTORY));
    problems.add('history left out', `bug ${bug}`, `all but the latest ${MAX_HISTORY} changes`);
  }
  return byBug;
}

type ByBug = ReadonlyMap<number, readonly Row[]>;

/** What belongs to the bugs of a page, by their ids. */
interface Parts {
  comments: ByBug;
  /** by the ids of comments */
  tags: ByBug;
  activity: ByBug;
  attachments: ByBug;
  /** of the data of attachments in the database, in bytes, by their ids */
  sizes: ReadonlyMap<number, number>;
  flags: ByBug;
  groups: ByBug;
  cc: ByBug;
  keywords: ByBug;
  seeAlso: ByBug;
  aliases: ByBug;
  blocks: ByBug;
  dependsOn: ByBug;
  duplicates: ByBug;
  /** by the names of fields */
  multiple: Map<string, ByBug>;
  /** of the attachments that comments are about, by their ids */
  summaries: Map<number, string>;
}

interface Context {
  source: Source;
  referred: Referred;
  reader: AttachmentReader;
  /** of all bugs */
  ids: ReadonlySet<number>;
}

async function bugOf(
  row: Row,
  parts: Parts,
  single: readonly SourceField[],
  context: Context,
): Promise<SourceBug> {
  const { source, referred } = context;
  const { clock, problems } = source;
  const { names } = referred;
  const id = row.number('bug_id');
  const where = `bug ${id}`;
  const rowsOf = (kind: Exclude<keyof Parts, 'multiple' | 'sizes' | 'summaries'>): readonly Row[] =>
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
    known(rows, column, (one) => (context.ids.has(one) ? one : undefined), 'a dependency on bug');
  const created = clock.time(row.text('creation_ts'));
  const changed = clock.time(row.text('delta_ts'));
  const { history, omitted } = historyOf(rowsOf('activity'), {
    clock,
    names,
    fieldNames: referred.fieldNames,
  });
  if (omitted > 0) {
    problems.add(
      'history left out',
      where,
      `${omitted} changes of users or fields that are gone, as in Bugzilla`,
    );
  }
  const place = placeOf(row, context);
  const { product, component } = place;
  const attachments = await attachmentsOf(id, place, parts, context);
  const oldest = created ?? changed ?? history[0]?.when;
  const comments = commentsOf(
    { id, where, reporter: names.login(row.number('reporter')), oldest },
    parts,
    context,
  );
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
    reporter: names.login(row.number('reporter')),
    assigned_to: names.login(row.number('assigned_to')),
    qa_contact: row.has('qa_contact') ? (names.knownLogin(row.number('qa_contact')) ?? '') : '',
    cc: known(rowsOf('cc'), 'who', names.knownLogin, 'on CC: user'),
    groups: rowsOf('groups').map((one) => names.group(one.number('group_id'))),
    keywords: known(rowsOf('keywords'), 'keywordid', (one) => referred.keywordNames.get(one), 'keyword'),
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
    ...Object.fromEntries(single.map(({ name, type }) => [name, customValue(row, name, type, context)])),
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
      context,
    ),
    comments,
    history,
    attachments,
  };
  if (created !== undefined) return bug;
  problems.add(NOBODY, where, 'it has no creation time; its people are left out, so that they do not see it');
  const hidden = {
    qa_contact: '',
    assigned_to: '',
    cc: [],
    is_creator_accessible: false,
    is_cc_accessible: false,
  };
  return { ...bug, ...hidden, groups: [HIDDEN_GROUP] };
}

/** Where a bug is, and the flag types of the product. */
interface Place {
  product: string;
  component: string;
  types: SourceProduct['flagTypes'];
}

/** The product and the component of a bug; of one that is gone, or is of another product, a stand-in. */
function placeOf(row: Row, { source: { problems }, referred: { products } }: Context): Place {
  const [product, component] = [products.get(row.number('product_id')), row.number('component_id')];
  if (product === undefined) return { product: '', component: '', types: [] };
  let name = product.components.get(component);
  if (name === undefined) {
    const other = [...products.values()].find(({ components }) => components.has(component));
    name =
      other === undefined
        ? `gone-component-${component}`
        : `${other.components.get(component)} of ${other.name}`;
    name = [...name].slice(0, 64).join('').trim();
    if ([...product.components.values()].includes(name)) name = `gone-component-${component}`;
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
function customValue(row: Row, name: string, type: number, { source: { clock } }: Context): unknown {
  if (!row.has(name)) return null;
  if (type === FIELD_TYPES.DATE_TIME) return clock.time(row.text(name)) ?? null;
  if (type === FIELD_TYPES.DATE) return dateOf(row.text(name)) ?? null;
  if (type === FIELD_TYPES.BUG_ID || type === FIELD_TYPES.INTEGER) return row.number(name);
  const text = row.text(name);
  return text === '' || text === KINDS[customKind(type)].empty ? null : text;
}

/** Flags of types that the component has: Bugzilla, too, shows no others. */
function flagsOf(
  rows: readonly Row[],
  where: string,
  { types, component }: Place,
  { source, referred }: Context,
): object[] {
  const { clock, problems } = source;
  return rows.flatMap((row) => {
    const [id, typeId] = [row.number('id'), row.number('type_id')];
    const type = types.find(
      ({ id: one, components, excluded_components }) =>
        one === typeId &&
        (components === null || components.includes(component)) &&
        !excluded_components.includes(component),
    );
    const created = clock.time(row.text('creation_date')) ?? clock.time(row.text('modification_date'));
    if (type === undefined || created === undefined) {
      problems.add('flags left out', where, `flag ${id}: its type ${typeId} is not one of '${component}'`);
      return [];
    }
    return [
      {
        id,
        type_id: typeId,
        name: type.name,
        status: row.text('status'),
        setter: referred.names.login(row.number('setter_id')),
        requestee: row.has('requestee_id')
          ? (referred.names.knownLogin(row.number('requestee_id')) ?? null)
          : null,
        creation_date: created,
        modification_date: clock.time(row.text('modification_date')) ?? created,
      },
    ];
  });
}

/** What comments of a kind say, in `type` of `longdescs`. */
const COMMENT_TYPES = { duplicate: 1, hasDuplicate: 2, created: 5, updated: 6 };

/** The attachment that a comment is about; null: none. */
function attachmentOf(row: Row): number | null {
  const type = row.number('type');
  const id = Number(row.text('extra_data'));
  return (type === COMMENT_TYPES.created || type === COMMENT_TYPES.updated) && Number.isSafeInteger(id)
    ? id
    : null;
}

/** The text of a comment as Bugzilla shows it. @param summaries of the attachments of the bug */
function textOf(row: Row, summaries: ReadonlyMap<number, string>): string {
  const [text, extra] = [row.text('thetext').replaceAll('\0', ' '), row.text('extra_data')];
  const type = row.number('type');
  if (type === COMMENT_TYPES.duplicate) {
    return `${text}\n\n*** This bug has been marked as a duplicate of bug ${extra} ***`;
  }
  if (type === COMMENT_TYPES.hasDuplicate)
    return `*** Bug ${extra} has been marked as a duplicate of this bug. ***`;
  const id = attachmentOf(row);
  if (id === null) return text;
  const kind = type === COMMENT_TYPES.created ? 'Created' : 'Comment on';
  return trimEnd(`${attachmentHeading(kind, { id, summary: summaries.get(id) ?? '' })}\n\n${text}`);
}

/** The comments of a bug, in their order. A bug without one gets an empty description. */
function commentsOf(
  {
    id,
    where,
    reporter,
    oldest = '',
  }: { id: number; where: string; reporter: string; oldest: string | undefined },
  parts: Parts,
  { source: { clock, problems }, referred: { names } }: Context,
): object[] {
  const rows = (parts.comments.get(id) ?? []).map((row) => ({
    row,
    time: clock.time(row.text('bug_when')) ?? oldest,
  }));
  rows.sort((a, b) =>
    a.time < b.time ? -1 : a.time > b.time ? 1 : a.row.number('comment_id') - b.row.number('comment_id'),
  );
  const comments = rows.map(({ row, time }) => {
    const number = row.number('comment_id');
    const full = textOf(row, parts.summaries);
    const text =
      characters(full) > MAX_COMMENT_LENGTH ? [...full].slice(0, MAX_COMMENT_LENGTH).join('') : full;
    if (text !== full) problems.add('bugs with changed comments', where, `comment ${number} is cut`);
    const tags = (parts.tags.get(number) ?? []).map((one) => one.text('tag'));
    return {
      id: number,
      text,
      creator: names.login(row.number('who')),
      creation_time: time,
      is_private: row.boolean('isprivate'),
      attachment_id: attachmentOf(row),
      work_time: row.number('work_time'),
      tags: tags.slice(0, MAX_TAGS),
    };
  });
  if (comments.length > 0) return comments;
  problems.add('bugs with changed comments', where, 'it has none: its description is empty here');
  const description = { is_private: false, attachment_id: null, work_time: 0, tags: [], text: '' };
  return [{ ...description, id: ADDED_ID + id, creator: reporter, creation_time: oldest }];
}

async function attachmentsOf(
  bug: number,
  place: Place,
  parts: Parts,
  context: Context,
): Promise<SourceAttachment[]> {
  const { source, referred, reader } = context;
  const { clock, problems } = source;
  const attachments: SourceAttachment[] = [];
  for (const row of parts.attachments.get(bug) ?? []) {
    const id = row.number('attach_id');
    const at = `bug ${bug}, attachment ${id}`;
    const flags = (parts.flags.get(bug) ?? []).filter((flag) => flag.number('attach_id') === id);
    const data = await reader.find(id, parts.sizes.get(id));
    const created = clock.time(row.text('creation_ts'));
    if (data.size > MAX_DATA_BYTES || created === undefined || attachments.length === MAX_ATTACHMENTS) {
      problems.add('attachments left out', at, `${data.size} bytes`);
      continue;
    }
    if (data.isLost)
      problems.add('attachments changed', at, 'its data is nowhere: it is as if it were deleted');
    const type = row.text('mimetype');
    const isType = parseContentType(type) !== undefined;
    if (!isType)
      problems.add('attachments changed', at, `the content type '${type}' is replaced by ${UNKNOWN_TYPE}`);
    const file = row.text('filename');
    attachments.push({
      id,
      file_name: /[^.\s/\\]/.test(file) ? file : `attachment-${id}`,
      summary: row.text('description'),
      content_type: isType ? type : UNKNOWN_TYPE,
      is_patch: row.boolean('ispatch'),
      ...(data.isErased
        ? { content_type: ERASED_FIELDS.content_type, is_patch: ERASED_FIELDS.is_patch }
        : {}),
      creator: referred.names.login(row.number('submitter_id')),
      creation_time: created,
      last_change_time: clock.time(row.text('modification_time')) ?? created,
      is_private: row.boolean('isprivate'),
      is_obsolete: row.boolean('isobsolete'),
      data,
      flags: flagsOf(flags, at, place, context),
    });
  }
  return attachments;
}
