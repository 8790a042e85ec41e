import type { Names } from './read-people.ts';
import type { SourceProduct } from './read-products.ts';
import type { SourceField } from './read-settings.ts';
import type { Source } from './read-source.ts';
import type { Row } from './row.ts';

/** Rows of a history that are read together, and that a bug has at most. */
const MAX_ROWS = 20_000;
const MAX_HISTORY = 100_000;

/** The columns that histories are made of. */
const ACTIVITY = 'id bug_id attach_id who bug_when fieldid added removed comment_id';

/** What the columns of bugs refer to. */
export interface Referred {
  names: Names;
  products: ReadonlyMap<number, SourceProduct>;
  fieldNames: ReadonlyMap<number, string>;
  keywordNames: ReadonlyMap<number, string>;
  customFields: readonly SourceField[];
}

/** What the bugs of a page are made of. */
export interface Page extends Source, Referred {
  /** what belongs to them, by their ids */
  parts: Awaited<ReturnType<typeof readParts>>;
  /** of all bugs */
  ids: ReadonlySet<number>;
  /** the custom fields whose values are columns of bugs */
  single: readonly SourceField[];
}

/**
 * Reads what belongs to bugs.
 *
 * @param after the bugs after this one, up to `last`
 * @param multiple the custom fields whose values have tables of their own
 */
export async function readParts(
  source: Source,
  [after, last]: readonly [after: number, last: number],
  multiple: readonly SourceField[],
) {
  const { selectBy, lengths } = source.database;
  const range = (column = 'bug_id') => `WHERE ${column} > ${after} AND ${column} <= ${last}`;
  const rowsOf = (table: string, columns: string, rest = '', column = 'bug_id') =>
    selectBy(table, column, columns, `${range(column)} ${rest}`);
  const comments = await rowsOf(
    'longdescs',
    'comment_id who bug_when work_time thetext isprivate type extra_data',
    'ORDER BY comment_id',
  );
  const attachments = await rowsOf(
    'attachments',
    'attach_id creation_ts modification_time description mimetype ispatch filename submitter_id isobsolete isprivate',
    'ORDER BY attach_id',
  );
  const ofComments = `WHERE comment_id IN (SELECT comment_id FROM longdescs ${range()}) ORDER BY id`;
  const ofAttachments = `WHERE id IN (SELECT attach_id FROM attachments ${range()})`;
  const multipleValues = new Map<string, Map<number, Row[]>>();
  for (const { name } of multiple) multipleValues.set(name, await rowsOf(`bug_${name}`, 'value'));
  return {
    comments,
    /** by the ids of comments */
    tags: await selectBy('longdescs_tags', 'comment_id', 'tag', ofComments),
    activity: await readActivity(source, range()),
    attachments,
    /** of the data of attachments in the database, in bytes, by their ids */
    sizes: await lengths('attach_data', 'id', 'thedata', ofAttachments),
    flags: await rowsOf(
      'flags',
      'id type_id status attach_id creation_date modification_date setter_id requestee_id',
      'ORDER BY id',
    ),
    groups: await rowsOf('bug_group_map', 'group_id'),
    cc: await rowsOf('cc', 'who'),
    keywords: await rowsOf('keywords', 'keywordid'),
    seeAlso: await rowsOf('bug_see_also', 'value'),
    aliases: await rowsOf('bugs_aliases', 'alias'),
    blocks: await rowsOf('dependencies', 'blocked', '', 'dependson'),
    dependsOn: await rowsOf('dependencies', 'dependson', '', 'blocked'),
    duplicates: await rowsOf('duplicates', 'dupe_of', '', 'dupe'),
    /** by the names of fields */
    multiple: multipleValues,
    summaries: await readSummaries(source, [...comments.values()].flat(), [...attachments.values()].flat()),
  };
}

/** The summaries of attachments that comments are about, also of those of other bugs, by their ids. */
async function readSummaries(
  { database: { select } }: Source,
  comments: readonly Row[],
  attachments: readonly Row[],
): Promise<Map<number, string>> {
  const own = new Set(attachments.map((row) => row.number('attach_id')));
  const others = new Set(comments.flatMap((row) => attachmentOf(row) ?? [])).difference(own);
  const where = `WHERE attach_id IN (${[...others].join()})`;
  const further = others.size === 0 ? [] : await select('attachments', 'attach_id description', where);
  return new Map(
    [...attachments, ...further].map((row) => [row.number('attach_id'), row.text('description')]),
  );
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

/** What comments of a kind say, in `type` of `longdescs`. */
export const COMMENT_TYPES = { duplicate: 1, hasDuplicate: 2, created: 5, updated: 6 };

/** The attachment that a comment is about; null: none. */
export function attachmentOf(row: Row): number | null {
  const type = row.number('type');
  const id = Number(row.text('extra_data'));
  return (type === COMMENT_TYPES.created || type === COMMENT_TYPES.updated) && Number.isSafeInteger(id)
    ? id
    : null;
}
