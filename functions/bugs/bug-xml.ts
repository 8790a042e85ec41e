import * as z from 'zod/mini';
import { mapConcurrent } from '../../lib/base/collections.ts';
import { boolean, NamedValues, optional, parseParameters, texts } from '../../lib/base/parameters.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { isDamaged } from '../../lib/bugs/attachments/data.ts';
import { withSummary } from '../../lib/bugs/attachments/presenter.ts';
import type { AttachmentItem } from '../../lib/bugs/attachments/schema.ts';
import {
  MAX_DATA_BYTES,
  MAX_DATA_FILES,
  requireReadableData,
} from '../../lib/bugs/attachments/validation.ts';
import { presentFlags } from '../../lib/bugs/flags/set-flags.ts';
import { isVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { BUG_DTD } from '../../lib/bugs/show/bug-dtd.ts';
import {
  attachmentEndXml,
  attachmentXml,
  type BugXmlContext,
  bugFieldsXml,
  commentXml,
  DATA_LEFT_OUT,
  dataXml,
  flagsXml,
} from '../../lib/bugs/show/bug-xml.ts';
import { element, openTag } from '../../lib/bugs/show/xml.ts';
import { shownAttachments } from '../../lib/bugs/store/attachments-with-bugs.ts';
import { type FoundBug, findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { errors } from '../../lib/errors.ts';
import { refuseCredentialsInAddress } from '../../lib/http/credentials.ts';
import { baseAddress } from '../../lib/http/request.ts';
import { documentResponse, type Endpoint } from '../../lib/http/response/gateway-response.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { classificationNamed } from '../../lib/products/find-classifications.ts';
import { availableTypes, type FlagTypeItem } from '../../lib/products/schema.ts';
import { presentBugs, readKnown } from './present-bugs.ts';
import type { BugServices } from './services.ts';

const query = z.object({ id: texts, field: texts, excludefield: texts, dtd: optional(boolean) });

/** So that a response has a bounded size. */
const MAX_BUGS_OF_XML = 100;
/** Of the text: a larger one would not fit into a response after compression either. */
const MAX_CHARACTERS_OF_XML = 25_000_000;
/** Of a response without compression, as JSON, of which base64 data takes 11 bytes for 8. */
const MAX_RESPONSE_BYTES = 6_000_000;
const BYTES_OF_DATA = 8 / 11;

/**
 * Returns bugs as XML, as `/show_bug.cgi?ctype=xml`: those that the caller sees, then the others with the reason. Data of
 * attachments that does not fit is left out, unless the request names it. functions/bugs/README.md 2.5
 */
export const bugXml: Endpoint<BugServices> = async (request, services) => {
  refuseCredentialsInAddress(request);
  const { id, field, excludefield, dtd } = parseParameters(query, request.parameters);
  const names = id.flatMap((one) => one.split(/[\s,]+/)).filter(Boolean);
  if (names.length > MAX_BUGS_OF_XML) throw errors.requestTooLarge(`at most ${MAX_BUGS_OF_XML} bugs`);
  const [caller, found, shown] = await Promise.all([
    request.caller,
    findBugs(names, services.bugs),
    services.bugSettings.read(),
  ]);
  const isInsider = isInGroup(caller, services.settings.INSIDER_GROUP);
  const isTimeTracker = isInGroup(caller, services.settings.TIMETRACKING_GROUP);
  const chosen = new Set(field);
  const has = (name: string) =>
    (chosen.size === 0 || chosen.has(name)) &&
    !excludefield.includes(name) &&
    (isTimeTracker || !name.endsWith('_time'));
  const realNames = new Map<string, string>();
  const addNames = async (logins: Iterable<string>) => {
    const unknown = [...new Set(logins)].filter((login) => !realNames.has(normalizeName(login)));
    const users = await services.users.shownByLogins(unknown);
    for (const login of unknown.map(normalizeName)) realNames.set(login, users.get(login)?.real_name ?? '');
  };
  const context: BugXmlContext = {
    ...{ fields: shown.fields, has, hidesAddresses: caller.user === undefined, isTimeTracker },
    realName: (login) => realNames.get(normalizeName(login)) ?? '',
  };
  const all = distinctByBug(found);
  const visible = all.flatMap(({ bug }) => (bug !== undefined && isVisible(bug, caller) ? [bug] : []));
  const known = await readKnown(visible, services.products);
  // `field` names fields of XML: all are presented.
  request.parameters = new NamedValues<unknown>([]);
  const [views, files, classificationIds, groupIds] = await Promise.all([
    presentBugs(visible, { request, caller, ...shown, known }, services),
    // Comments on attachments have their summaries.
    shownAttachments(has('attachment') || has('long_desc') ? visible : [], caller, isInsider, services),
    has('classification_id') ? idsOfClassifications(known.values(), services) : new Map<string, number>(),
    has('group') ? idsOfGroups(visible, services) : new Map<string, number>(),
    addNames(visible.flatMap(({ reporter, assigned_to, qa_contact }) => [reporter, assigned_to, qa_contact])),
  ]);
  await addNames([...files.values()].flatMap((own) => own.map(({ creator }) => creator)));
  if (field.includes('attachmentdata') && has('attachment')) requireReadableData([...files.values()].flat());

  const base = baseAddress(request);
  const type = dtd === true ? `[\n${BUG_DTD}]` : `SYSTEM "${base}page.cgi?id=bugzilla.dtd"`;
  const parts: (string | AttachmentItem)[] = [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>',
    `<!DOCTYPE bugzilla ${type}>`,
    openTag('bugzilla', {
      ...{ version: '5.2', urlbase: base, maintainer: services.settings.MAINTAINER },
      exporter: caller.user?.login,
    }),
  ];
  let length = 0;
  const add = (...more: (string | AttachmentItem)[]) => {
    parts.push(...more);
    length += more.reduce((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0);
    if (length > MAX_CHARACTERS_OF_XML) throw errors.responseTooLarge();
  };
  for (const [index, bug] of visible.entries()) {
    const view = views[index] ?? {};
    const classification_id = classificationIds.get(normalizeName(String(view['classification'])));
    add('<bug>', ...bugFieldsXml({ ...view, classification_id }, context));
    if (has('group')) {
      add(
        ...bug.groups.map((name) => element('group', name, { id: groupIds.get(normalizeName(name)) ?? 0 })),
      );
    }
    const types = (target: FlagTypeItem['target']) =>
      availableTypes(known.get(bug.product_id)?.flagTypes ?? [], target, bug.component_id);
    add(...flagsXml(presentFlags(bug.flags, types('bug')), context));
    const own = files.get(bug.id) ?? [];
    if (has('long_desc')) {
      const summaries = new Map(own.map((one) => [one.id, one.summary]));
      add(element('comment_sort_order', 'oldest_to_newest'));
      for await (const page of services.comments.ofBug(bug.id)) {
        const readable = page.filter((comment) => isInsider || !comment.is_private);
        await addNames(readable.map(({ creator }) => creator));
        add(...readable.map((comment) => commentXml(withSummary(comment, summaries), context)));
      }
    }
    for (const attachment of has('attachment') ? own : []) {
      add(attachmentXml(attachment, context));
      if (has('attachmentdata')) add(attachment);
      add(attachmentEndXml(presentFlags(attachment.flags, types('attachment')), context));
    }
    add('</bug>');
  }
  add(
    ...all.flatMap((one) => (one.bug !== undefined && visible.includes(one.bug) ? [] : unreadableXml(one))),
  );
  add('</bugzilla>');
  const { lines, leftOut } = await withData(parts, services);
  return documentResponse(request, lines.join('\n'), {
    'content-type': 'application/xml; charset=UTF-8',
    ...leftOutHeader(leftOut),
  });
};

/** Ids that the header names: API Gateway takes 10 KB of headers. */
const MAX_NAMED_IDS = 20;

/** The header that names attachments whose data is left out; of many the first ones, and how many there are. */
function leftOutHeader(ids: readonly number[]): Record<string, string> {
  if (ids.length === 0) return {};
  const others = ids.length > MAX_NAMED_IDS ? `, and ${ids.length - MAX_NAMED_IDS} more` : '';
  return { 'x-bugless-left-out': `attachmentdata ${ids.slice(0, MAX_NAMED_IDS).join(', ')}${others}` };
}

/** A bug that there is not, or that the caller does not see. */
function unreadableXml({ name, bug }: FoundBug): string[] {
  const error = bug === undefined ? 'InvalidBugId' : 'NotPermitted';
  return [openTag('bug', { error }), element('bug_id', bug === undefined ? name : String(bug.id)), '</bug>'];
}

/**
 * Lines in which the data of attachments stands for them, as far as it fits into a response.
 *
 * @returns also the ids of the attachments whose data is left out, or damaged
 */
async function withData(
  parts: readonly (string | AttachmentItem)[],
  services: BugServices,
): Promise<{ lines: string[]; leftOut: number[] }> {
  const attachments = parts.filter((one) => typeof one !== 'string');
  const text = parts.filter((one) => typeof one === 'string').join('\n');
  const left = attachments.length === 0 ? 0 : MAX_RESPONSE_BYTES - Buffer.byteLength(JSON.stringify(text));
  const maximum = Math.min(MAX_DATA_BYTES, left * BYTES_OF_DATA);
  let size = 0;
  const fitting = attachments.slice(0, MAX_DATA_FILES).filter((one) => {
    if (size + one.size > maximum) return false;
    size += one.size;
    return true;
  });
  const read = await mapConcurrent(fitting, (one) => dataOf(one, services));
  const data = new Map(fitting.map(({ id }, index) => [id, read[index]]));
  const lineOf = (one: string | AttachmentItem) => {
    if (typeof one === 'string') return one;
    const bytes = data.get(one.id);
    return bytes === undefined ? DATA_LEFT_OUT : dataXml(bytes);
  };
  return {
    lines: parts.map(lineOf),
    leftOut: attachments.filter((one) => data.get(one.id) === undefined).map((one) => one.id),
  };
}

/** The ids of classifications, by normalized name. */
async function idsOfClassifications(
  products: Iterable<{ classification: string }>,
  services: BugServices,
): Promise<Map<string, number>> {
  const names = [...new Set([...products].map(({ classification }) => classification))];
  const found = await Promise.all(names.map((name) => classificationNamed(services.products, name)));
  return new Map(names.map((name, index) => [normalizeName(name), found[index]?.id ?? 0]));
}

/** The ids of the groups of bugs, by normalized name. */
async function idsOfGroups(
  bugs: readonly BugItem[],
  { users }: BugServices,
): Promise<ReadonlyMap<string, number>> {
  const groups = await users.groups([...new Set(bugs.flatMap((bug) => bug.groups))]);
  return new Map(groups.map(({ id, name }) => [normalizeName(name), id]));
}

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
