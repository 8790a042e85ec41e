import * as z from 'zod/mini';
import { isDamaged } from '../../lib/attachments/data.ts';
import { isAttachmentShown } from '../../lib/attachments/permissions.ts';
import type { AttachmentItem } from '../../lib/attachments/schema.ts';
import { requireReadableData } from '../../lib/attachments/validation.ts';
import type { BugFields } from '../../lib/bugs/fields/registry.ts';
import { isVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { element, openTag } from '../../lib/bugs/show/xml.ts';
import { type FoundBug, findBugs } from '../../lib/bugs/store/find-bugs.ts';
import type { CommentItem } from '../../lib/comments/schema.ts';
import { bit } from '../../lib/differences.ts';
import { BOUNDED_CONCURRENCY } from '../../lib/dynamodb/consumption.ts';
import { errors } from '../../lib/errors.ts';
import { baseAddress } from '../../lib/http/base-address.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { documentResponse } from '../../lib/http/response/gateway-response.ts';
import { distinctById } from '../../lib/ids.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { NamedValues, parseParameters, texts } from '../../lib/parameters.ts';
import { normalizeName } from '../../lib/text.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { presentBugs } from './present-bugs.ts';
import type { BugServices } from './services.ts';

const query = z.object({ id: texts, field: texts, excludefield: texts });

/** So that a response has a bounded size. */
const MAX_BUGS = 100;
/** Of the text: a larger one would not fit into a response after compression either. */
const MAX_CHARACTERS = 25_000_000;

/** Elements that are called otherwise than the field. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['bug_group', 'group'],
  ['dupe_of', 'dup_id'],
  ['work_time', 'actual_time'],
]);
const TIMES: ReadonlySet<string> = new Set(['creation_ts', 'delta_ts']);
/** Lists that 5.2 writes as one text. */
const JOINED: ReadonlySet<string> = new Set(['keywords']);

/** Returns bugs as XML, as `/show_bug.cgi?ctype=xml`. functions/bugs/README.md 2.5 */
export const bugXml: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const { id, field, excludefield } = parseParameters(query, request.parameters);
  const names = id.flatMap((one) => one.split(/[\s,]+/)).filter(Boolean);
  if (names.length === 0) throw errors.parameterMissing('id');
  if (names.length > MAX_BUGS) throw errors.requestTooLarge(`at most ${MAX_BUGS} bugs`);
  const chosen = new Set(field.filter((one) => one !== 'attachmentdata'));
  const hasField = (name: string) => (chosen.size === 0 || chosen.has(name)) && !excludefield.includes(name);
  const hasData = field.includes('attachmentdata') && !excludefield.includes('attachmentdata');
  const [caller, found, shown] = await Promise.all([
    request.caller,
    findBugs(names, services.bugs),
    services.bugSettings.read(),
  ]);
  const isInsider = isInGroup(caller, services.settings.INSIDER_GROUP);
  const parts = [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>',
    openTag('bugzilla', {
      ...{ version: '5.2', urlbase: baseAddress(request), maintainer: '' },
      exporter: caller.user?.login,
    }),
  ];
  let length = 0;
  const add = (...more: string[]) => {
    parts.push(...more);
    length += more.reduce((sum, one) => sum + one.length, 0);
    if (length > MAX_CHARACTERS) throw errors.responseTooLarge();
  };
  const visible = found.flatMap(({ bug }) => (bug !== undefined && isVisible(bug, caller) ? [bug] : []));
  // `field` names fields of XML: all are presented.
  request.parameters = new NamedValues<unknown>([]);
  const views = await presentBugs(visible, { request, caller, shown }, services);
  const viewOf = new Map(visible.map((bug, index) => [bug.id, views[index] ?? {}]));
  const files = await shownAttachments(hasField('attachment') ? visible : [], caller, isInsider, services);
  if (hasData) requireReadableData([...files.values()].flat());
  for (const { name, bug } of distinctByBug(found)) {
    const view = bug === undefined ? undefined : viewOf.get(bug.id);
    if (bug === undefined || view === undefined) {
      const error = bug === undefined ? 'NotFound' : 'NotPermitted';
      add(openTag('bug', { error }), element('bug_id', name), '</bug>');
      continue;
    }
    add('<bug>', element('bug_id', String(bug.id)), ...fieldsOf(view, shown.fields, hasField));
    if (hasField('long_desc')) {
      for await (const page of services.comments.ofBug(bug.id)) {
        const readable = page.filter((comment) => isInsider || !comment.is_private);
        const users = await services.users.shownByLogins(readable.map(({ creator }) => creator));
        const realNameOf = (login: string) => users.get(normalizeName(login))?.real_name ?? '';
        add(...readable.map((comment) => commentXml(comment, realNameOf(comment.creator))));
      }
    }
    if (hasField('attachment')) {
      const own = files.get(bug.id) ?? [];
      const data = hasData ? await mapConcurrent(own, (one) => dataOf(one, services)) : [];
      add(...own.map((one, index) => attachmentXml(one, data[index])));
    }
    add('</bug>');
  }
  add('</bugzilla>\n');
  return documentResponse(request, parts.join('\n'), {
    'content-type': 'application/xml; charset=UTF-8',
    'content-disposition': 'inline; filename="bugs.xml"',
  });
};

/** The bugs that were found, each once, and the names of which none is known. */
function distinctByBug(found: readonly FoundBug[]): FoundBug[] {
  return [...new Map(found.map((one) => [one.bug?.id ?? one.normalized, one])).values()];
}

/** The data of an attachment; undefined where it is damaged: it must not hide the others of its bug. */
const dataOf = (attachment: AttachmentItem, { attachments }: BugServices): Promise<Buffer | undefined> =>
  attachments.data(attachment).catch((error: unknown) => {
    if (isDamaged(error)) return undefined;
    throw error;
  });

/** The attachments that the caller sees, by bug; the list of each bug is read once. */
async function shownAttachments(
  bugs: readonly BugItem[],
  caller: Caller,
  isInsider: boolean,
  { attachments }: BugServices,
): Promise<Map<number, AttachmentItem[]>> {
  const having = distinctById(bugs).filter((bug) => bug.attachment_count > 0);
  const lists = await mapConcurrent(
    having,
    async ({ id }) =>
      (await attachments.ofBug(id)).filter((one) => isAttachmentShown(one, caller, isInsider)),
    BOUNDED_CONCURRENCY,
  );
  return new Map(having.map(({ id }, index) => [id, lists[index] ?? []]));
}

function fieldsOf(
  view: Readonly<Record<string, unknown>>,
  { all }: BugFields,
  hasField: (name: string) => boolean,
): string[] {
  return all.flatMap(({ name: internal, rest }) => {
    const name = NAMES.get(internal) ?? internal;
    if (rest === undefined || rest === 'id' || !hasField(name)) return [];
    return fieldXml(name, view[rest], view[`${rest}_detail`]);
  });
}

const named = z.object({ real_name: z.string() });

/** An element for each value; none for an absent or empty one. */
function fieldXml(name: string, value: unknown, detail: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) {
    if (JOINED.has(name)) return value.length === 0 ? [] : [element(name, value.join(', '))];
    return value.map((one) => element(name, String(one)));
  }
  if (typeof value === 'boolean') return [element(name, bit(value))];
  const { data } = named.safeParse(detail);
  const text = TIMES.has(name) ? spelledTime(String(value)) : String(value);
  return [element(name, text, data === undefined ? {} : { name: data.real_name })];
}

/** `2026-01-02 03:04:05 +0000` */
const spelledTime = (time: string): string => `${time.replace('T', ' ').replace('Z', '')} +0000`;

const commentXml = (comment: CommentItem, realName: string): string =>
  [
    openTag('long_desc', { isprivate: bit(comment.is_private) }),
    element('commentid', String(comment.id)),
    element('comment_count', String(comment.count)),
    ...(comment.attachment_id === null ? [] : [element('attachid', String(comment.attachment_id))]),
    element('who', comment.creator, { name: realName }),
    element('bug_when', spelledTime(comment.creation_time)),
    element('thetext', comment.text),
    '</long_desc>',
  ].join('\n');

const attachmentXml = (attachment: AttachmentItem, data: Buffer | undefined): string =>
  [
    openTag('attachment', {
      isobsolete: bit(attachment.is_obsolete),
      ispatch: bit(attachment.is_patch),
      isprivate: bit(attachment.is_private),
    }),
    element('attachid', String(attachment.id)),
    element('date', spelledTime(attachment.creation_time)),
    element('delta_ts', spelledTime(attachment.last_change_time)),
    element('desc', attachment.summary),
    element('filename', attachment.file_name),
    element('type', attachment.content_type),
    element('size', String(attachment.size)),
    element('attacher', attachment.creator),
    ...(data === undefined ? [] : [element('data', data.toString('base64'), { encoding: 'base64' })]),
    '</attachment>',
  ].join('\n');
