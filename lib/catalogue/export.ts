import * as z from 'zod';
import { compareNames, normalizeName } from '../base/text.ts';
import { type AttachmentRepository, attachmentRepository } from '../bugs/attachments/repository.ts';
import { attachmentItem } from '../bugs/attachments/schema.ts';
import { tagItem } from '../bugs/comment-tags/repository.ts';
import { commentItem } from '../bugs/comments/schema.ts';
import type { BugField } from '../bugs/fields/field.ts';
import type { StoredValue } from '../bugs/fields/kinds.ts';
import { BUILT_IN_FIELDS, catalogueName, storedValue } from '../bugs/fields/registry.ts';
import { namedFlags } from '../bugs/flags/set-flags.ts';
import { type BugItem, bugItem, historyItem, keywordItem } from '../bugs/schema.ts';
import { lastVisitItem } from '../bugs/store/last-visits.ts';
import { bugSettings } from '../bugs/store/settings-repository.ts';
import { watchesItem } from '../changes/watches/schema.ts';
import { NOTHING_OFF, storedMailOff } from '../people/mail-preferences.ts';
import { savedSearchesItem } from '../people/saved-searches/validation.ts';
import { groupItem, type MailedUser, mailedUserItem, userApiKeyItem } from '../people/schema.ts';
import { type BugPlace, knownProduct, placeOf } from '../products/place.ts';
import { everyProduct, productRepository } from '../products/repository.ts';
import {
  availableTypes,
  classificationItem,
  componentItem,
  type FlagTypeItem,
  flagTypeItem,
  type ProductWithParts,
  productFields,
  releaseItem,
} from '../products/schema.ts';
import type { Table } from '../table/client.ts';
import { anyItem, type Item, type ItemSchema, type ScanReport, scanPages } from '../table/read.ts';
import { exportWatches } from './export-watches.ts';
import { lineOf } from './lines.ts';
import { repairedText } from './repaired-text.ts';

/**
 * Exports the table as the lines of a catalogue file. Applied to an empty table, they give the same responses to every
 * request, but for texts of bugs that an earlier version stored against the present rules (repairedText). API keys are
 * exported as hashes. The table is scanned once and bugs are streamed, so that memory holds one bug, the products and
 * the small lists; the settings, which are known at the end of the scan, are the last line.
 */
export async function* exportCatalogue(table: Table, report?: ScanReport): AsyncGenerator<string> {
  for await (const entry of tableEntries(table, report)) {
    if ('settings' in entry) yield lineOf(entry.settings);
    if (!('bug' in entry)) continue;
    yield lineOf({ bug: entry.bug });
    for (const { fields, read } of entry.attachments) {
      yield lineOf({ attachment: { ...fields, data: (await read()).toString('base64') } });
    }
  }
}

/** What the table has, as entries of a catalogue. */
export type TableEntry =
  | { id: number; bug: object; attachments: ReturnType<typeof exportAttachments> }
  /** of a bug that an interrupted run of apply, or of an import, has left */
  | { remains: number }
  /** the last one */
  | { settings: object };

/** The content of the table. The table is scanned once. */
export async function* tableEntries(
  table: Table,
  report: ScanReport = () => undefined,
): AsyncGenerator<TableEntry> {
  const all = await Array.fromAsync(everyProduct(productRepository(table)));
  const products = new Map(all.map((one) => [one.product.id, one]));
  const known = new Map([...products].map(([id, product]) => [id, knownProduct(product)]));
  const lists = new Lists();
  const attachments = attachmentRepository(table, table.now);
  for await (const partition of bugPartitions(table, lists, report)) {
    const stored = partition.find(({ sk }) => sk === 'BUG');
    if (stored === undefined) {
      yield { remains: Number(partition[0]?.pk.slice('BUG#'.length)) };
      continue;
    }
    const bug = bugItem.parse(stored);
    const product = products.get(bug.product_id);
    const typesOf = (target: FlagTypeItem['target']) =>
      availableTypes(product?.flagTypes ?? [], target, bug.component_id);
    const flags = namedFlags(bug.flags, typesOf('bug'));
    yield {
      id: bug.id,
      bug: { ...exportBug(bug, placeOf(bug, known.get(bug.product_id)), partition, lists), flags },
      attachments: exportAttachments(partition, attachments, typesOf('attachment')),
    };
  }
  const [settings] = lists.of('FIELDVALUES', bugSettings);
  const { custom_fields, ...field_values } = settings ?? {};
  yield {
    settings: {
      groups: lists.of('GROUP', groupItem),
      users: exportUsers(lists, products),
      classifications: lists.of('CLASSIFICATION', classificationItem),
      keywords: lists.of('KEYWORDS', keywordItem),
      tag_spellings: lists.ambiguousTags(),
      products: all.map(exportProduct),
      ...(settings && { field_values, bug_fields: custom_fields }),
    },
  };
}

/** The attachments of a bug, without their data, which is read when it is needed. @returns size: of the data in bytes */
const exportAttachments = (
  partition: readonly Item[],
  attachments: AttachmentRepository,
  types: readonly FlagTypeItem[],
) =>
  partition
    .filter(({ sk }) => sk.startsWith('ATTACHMENT#'))
    .map((content) => {
      const item = attachmentItem.parse(content);
      const { size, parts: _, revision: __, ...fields } = item;
      const read = () => attachments.data(item);
      return { fields: { ...fields, flags: namedFlags(item.flags, types) }, size, read };
    });

/** Scans the table: groups the items of each bug, which the scan returns together, and collects the lists. */
async function* bugPartitions(table: Table, lists: Lists, report: ScanReport): AsyncGenerator<Item[]> {
  let partition: Item[] = [];
  for await (const page of scanPages(table, anyItem, { report })) {
    for (const item of page) {
      if (!item.pk.startsWith('BUG#')) {
        lists.add(item);
        continue;
      }
      if (partition[0] !== undefined && partition[0].pk !== item.pk) {
        yield partition;
        partition = [];
      }
      partition.push(item);
    }
  }
  if (partition.length > 0) yield partition;
}

/** What the table has beside bugs and products, as the scan finds it. */
class Lists {
  /** by the kinds of their partition keys, as far as a catalogue has them */
  readonly #items = new Map(LISTED.map((kind): [string, Item[]] => [kind, []]));
  /** of tags on comments, by normalized tag */
  readonly #spellings = new Map<string, Set<string>>();

  add(item: Item): void {
    this.#items.get(item.pk.split('#', 1)[0] ?? '')?.push(item);
  }

  /** Adds the spelling of a tag on a comment. */
  addSpelling(tag: string): void {
    const spellings = this.#spellings.get(normalizeName(tag)) ?? new Set();
    this.#spellings.set(normalizeName(tag), spellings.add(tag));
  }

  /** The items of a kind. */
  of<T>(kind: (typeof LISTED)[number], { parse }: ItemSchema<T>): T[] {
    return (this.#items.get(kind) ?? []).map((item) => parse(item));
  }

  /** Tags that comments spell in several ways, or otherwise than the search does. */
  ambiguousTags(): string[] {
    return this.of('TAG', tagItem).flatMap(({ tag }) => {
      const spellings = this.#spellings.get(normalizeName(tag));
      return spellings !== undefined && (spellings.size > 1 || !spellings.has(tag)) ? [tag] : [];
    });
  }
}

const LISTED = [
  ...(['GROUP', 'USER', 'SAVEDSEARCHES', 'WATCHES', 'LASTVISIT'] as const),
  ...(['CLASSIFICATION', 'KEYWORDS', 'FIELDVALUES', 'TAG'] as const),
];

/** The users with all that belongs to them. */
function exportUsers(lists: Lists, products: ReadonlyMap<number, ProductWithParts>): object[] {
  const partitions = Map.groupBy(lists.of('USER', anyItem), ({ pk }) => pk);
  const users = [...partitions.values()].map((items) => ({
    user: items.filter(({ sk }) => sk === 'USER').map((item) => mailedUserItem.parse(item))[0],
    keys: items.filter(({ sk }) => sk !== 'USER').map((item) => userApiKeyItem.parse(item)),
  }));
  const logins = new Map(users.flatMap(({ user }) => (user === undefined ? [] : [[user.id, user.login]])));
  const groups = new Map(lists.of('GROUP', groupItem).map(({ id, name }) => [id, name]));
  const ofUser = <T extends { user_id: number }>(all: T[]) => Map.groupBy(all, ({ user_id }) => user_id);
  const searches = ofUser(lists.of('SAVEDSEARCHES', savedSearchesItem));
  const watches = ofUser(lists.of('WATCHES', watchesItem));
  const visits = ofUser(lists.of('LASTVISIT', lastVisitItem));
  return users.map(({ user: stored, keys }) => {
    const { mail_off = NOTHING_OFF, ...user }: Partial<MailedUser> = stored ?? {};
    const { id = 0 } = user;
    // Without what this version does not know.
    const off = storedMailOff({ roles: mail_off.roles, changes: mail_off.changes });
    const visited = visits
      .get(id)
      ?.map(({ bug_id, last_visit_ts }) => ({ bug: bug_id, time: last_visit_ts }));
    const saved = searches.get(id)?.flatMap((one) => one.searches) ?? [];
    return {
      ...{ ...user, ...(off && { mail_off: off }) },
      // A session is of one deployment.
      api_keys: keys
        .filter(({ expires_at }) => expires_at === undefined)
        .map(({ hash, description, revoked, created_at }) => {
          return { key_sha256: hash, description, revoked, ...(created_at && { created_at }) };
        }),
      ...(saved.length > 0 && {
        saved_searches: saved.map(({ id, name, query, group_id }) => {
          return { id, name, query, group: groups.get(group_id ?? 0) ?? null };
        }),
      }),
      ...exportWatches(watches.get(id)?.flatMap(({ watched }) => watched) ?? [], logins, products),
      ...(visited && { last_visits: visited }),
    };
  });
}

/** A bug without its flags and attachments. */
function exportBug(bug: BugItem, place: BugPlace, partition: Item[], lists: Lists): object {
  const comments = partition
    .filter((item) => item.sk.startsWith('COMMENT#'))
    .map((item) => commentItem.parse(item));
  for (const tag of comments.flatMap(({ tags }) => tags)) lists.addSpelling(tag);
  const history = partition
    .filter((item) => item.sk.startsWith('HISTORY#'))
    .map((item) => historyItem.parse(item));
  const fields = BUILT_IN_FIELDS.filter(({ catalogue }) => catalogue !== undefined).map((field) => [
    catalogueName(field),
    field.derived === 'place' ? place[field.rest ?? ''] : exportedValue(bug, field),
  ]);
  return {
    ...Object.fromEntries(fields),
    // Sorted, so that exports of copies can be compared.
    ...Object.fromEntries(Object.entries(bug.custom).sort(([a], [b]) => compareNames(a, b))),
    comments: comments.map(
      ({ bug_id: _, count: __, revision: ___, batch: ____, creates_attachment: _____, ...comment }) =>
        comment,
    ),
    history: history.map(({ bug_id: _, ...entry }) => entry),
  };
}

/** The value of a field. A text that an earlier version stored, and that a catalogue may not have now, is repaired. */
function exportedValue(bug: BugItem, field: BugField): StoredValue {
  const value = storedValue(bug, field);
  return typeof value === 'string' ? repairedText(field, value).value : value;
}

/** What catalogues have of the parts of a product: without attributes that this version does not know. */
const ownComponent = z.object(componentItem.shape);
const ownRelease = z.object(releaseItem.shape);
const ownFlagType = z.object(flagTypeItem.shape);

function exportProduct({ product, components, versions, milestones, flagTypes }: ProductWithParts): object {
  const fields = z.object(productFields).parse(product);
  const componentNames = new Map(components.map(({ id, name }) => [id, name]));
  return {
    ...fields,
    group_controls: product.group_controls,
    ...(product.description_template === undefined
      ? {}
      : { description_template: product.description_template }),
    components: components.map((one) => ownComponent.parse(one)),
    versions: versions.map((one) => ownRelease.parse(one)),
    milestones: milestones.map((one) => ownRelease.parse(one)),
    flag_types: flagTypes
      .map((one) => ownFlagType.parse(one))
      .map(({ components: applicable, excluded_components, grant_group, request_group, ...type }) => ({
        ...type,
        grant_group: grant_group?.name ?? null,
        request_group: request_group?.name ?? null,
        components: applicable?.flatMap((id) => componentNames.get(id) ?? []) ?? null,
        excluded_components: excluded_components.flatMap((id) => componentNames.get(id) ?? []),
      })),
  };
}
