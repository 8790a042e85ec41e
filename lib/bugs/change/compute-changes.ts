import { isDeepStrictEqual } from 'node:util';
import { updatedNames } from '../../base/names.ts';
import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';
import { knownProduct, placeOf } from '../../products/place.ts';
import { availableTypes, type FlagTypeItem, type ProductWithParts } from '../../products/schema.ts';
import { type BugChange, fieldChanges, historyChanges } from '../changes.ts';
import type { CommentContent } from '../comments/schema.ts';
import { checkLength } from '../comments/validation.ts';
import { kindOf } from '../fields/kinds.ts';
import type { BugFields } from '../fields/registry.ts';
import { FLAGS } from '../flags/schema.ts';
import { currentFlags, flagChanges, flagTexts, newRequestees, setFlags } from '../flags/set-flags.ts';
import { checkRights, type Editor, isVisible, productBarrier } from '../permissions.ts';
import type { BugItem, FieldChange } from '../schema.ts';
import { followsProduct } from '../store/write-bug.ts';
import { CHOICE_FIELDS, type SettingsList } from '../values.ts';
import type { OwnUpdate, UpdateContext } from './bug-update.ts';
import { customValues } from './custom-values.ts';
import { aliases, checkLoop, groups, keywords, link, noteDuplicate, relate } from './links.ts';
import { UNNUMBERED } from './new-bug.ts';
import { changedState, initialState } from './status.ts';
import { people, place, plainValues, remainingHours } from './values.ts';

/**
 * Changes bugs, and the bugs at the other ends of their dependencies, `see_also` and duplicates: the one path of POST and
 * PUT. A creation is the update of an empty bug.
 *
 * @param targets the bugs that the request names, or the empty bug
 * @returns the ids of the targets
 */
export async function applyUpdate(targets: readonly BugItem[], context: UpdateContext): Promise<number[]> {
  const { drafts, update } = context;
  const ids: number[] = [];
  for (const target of targets) {
    const own = ownFields(target, context);
    const isNew = target.id === UNNUMBERED;
    const id = isNew ? await context.allocateId() : target.id;
    if (isNew) drafts.create({ ...target, ...own, id });
    else drafts.change(id, own);
    changeFlags(context, id);
    ids.push(id);
    for (const field of ['blocks', 'depends_on'] as const) relate(context, id, field);
    link(context, id);
    addComments(context, id, target);
  }
  for (const id of ids) {
    if (update.blocks !== undefined || update.depends_on !== undefined) {
      await checkLoop(context, id, 'depends_on');
    }
    if (update.dupe_of !== undefined) await checkLoop(context, id, 'dupe_of');
  }
  return ids;
}

/** The fields of a bug that depend on no other bug. */
function ownFields(bug: BugItem, context: UpdateContext): Partial<BugItem> {
  const { products, target, comment, update } = context;
  const isNew = bug.id === UNNUMBERED;
  const home = products.get(bug.product_id);
  if (home === undefined) throw errors.bugUnknown(String(bug.id));
  const product = target ?? home;
  const isStateGiven = [update.status, update.resolution, update.dupe_of].some((one) => one !== undefined);
  const hasComment = comment.text.trim() !== '';
  const own: OwnUpdate = { ...context, bug, isNew, home, product, hasComment };
  const placed = place(own);
  const component = product.components.find(({ id }) => id === placed.component_id);
  const plain = plainValues(context);
  const estimated = Number(plain['estimated_time'] ?? bug.estimated_time);
  const changed = {
    ...placed,
    ...plain,
    ...people(own, component),
    remaining_time: remainingHours(own, estimated),
    ...(isNew ? initialState(own) : isStateGiven ? changedState(own) : {}),
    aliases: aliases(own),
    keywords: keywords(own),
    groups: groups(own),
  };
  const custom = customValues(own, { ...bug, ...changed }, placeOf(placed, knownProduct(product)));
  return { ...changed, custom };
}

/**
 * Sets the flags of a bug. Flags whose type is not available in the product and component of the bug are removed; if the
 * bug moved, also those of its attachments. New requestees are added to CC.
 */
function changeFlags(context: UpdateContext, id: number): void {
  const { drafts, editor, products, target, users, flags: given } = context;
  const bug = drafts.get(id);
  const product = target ?? products.get(bug?.product_id ?? 0);
  if (bug === undefined || product === undefined) return;
  const types = availableTypes(product.flagTypes, 'bug', bug.component_id);
  const maySee = (requestee: Caller) => isVisible(bug, requestee);
  if (target !== undefined || drafts.hasMoved(id)) {
    const ofAttachments = availableTypes(product.flagTypes, 'attachment', bug.component_id);
    drafts.changeAttachments(id, (attachment) => {
      const kept = currentFlags(attachment.flags, ofAttachments);
      return kept.length === attachment.flags.length ? attachment : { ...attachment, flags: kept };
    });
  }
  const flags = setFlags(bug.flags, given, { caller: editor.caller, types, users, maySee });
  const cc = updatedNames(bug.cc, { add: newRequestees(bug.flags, flags) });
  if (flags.length + bug.flags.length > 0) drafts.change(id, { flags, cc });
}

/** The change of a bug's flags, with what its attachments lost. */
function flagsRemoved(ofBug: FieldChange[], ofAttachments: readonly FieldChange[]): FieldChange[] {
  if (ofAttachments.length === 0) return ofBug;
  const [{ added, removed } = { added: '', removed: '' }] = ofBug;
  const all = [removed, ...ofAttachments.map((change) => change.removed)].filter((text) => text !== '');
  return [{ field_name: FLAGS, removed: all.join(', '), added }];
}

/** The comment of the request, or the description; and the comments on a duplicate and its original. */
function addComments(context: UpdateContext, id: number, before: BugItem): void {
  const { drafts, comment: content, workTime } = context;
  const { dupe_of = null } = drafts.get(id) ?? {};
  const isNewDuplicate = dupe_of !== null && dupe_of !== before.dupe_of;
  if (isNewDuplicate) noteDuplicate(context, id, dupe_of);
  const note = isNewDuplicate ? `*** This bug has been marked as a duplicate of bug ${dupe_of} ***` : '';
  const text = [content.text, note].filter(Boolean).join('\n\n');
  checkLength(text);
  if (before.id === UNNUMBERED || text !== '' || workTime !== 0) {
    drafts.comment(id, { ...content, text, work_time: workTime });
  }
}

/** Checks that the caller may change the bugs of these products at all. */
export function requireEditableProducts(
  targets: readonly BugItem[],
  products: ReadonlyMap<number, ProductWithParts>,
  { caller }: Editor,
): void {
  for (const { product_id } of targets) {
    const barrier = productBarrier(products.get(product_id)?.product, product_id, caller);
    if (barrier !== undefined) throw barrier;
  }
}

/** What changes of bugs are told from. */
type ChangeSources = Pick<
  UpdateContext,
  'drafts' | 'custom' | 'editor' | 'fields' | 'workflow' | 'stored' | 'products' | 'target'
>;

/**
 * What the drafts change; bugs that stay as they are are left out.
 *
 * @param targets ids of the bugs that the request names: the rights to change them are checked
 */
export function bugChangesOf(sources: ChangeSources, targets: readonly number[]): BugChange[] {
  const { drafts, custom, editor, fields, workflow, stored, products, target } = sources;
  const all = new Map(products);
  if (target !== undefined) all.set(target.product.id, target);
  const known = new Map([...all].map(([id, product]) => [id, knownProduct(product)]));
  const placeOfBug = (bug: BugItem) => placeOf(bug, known.get(bug.product_id));
  const typesFor = (target: FlagTypeItem['target'], ...bugs: (BugItem | undefined)[]): FlagTypeItem[] =>
    bugs
      .filter((bug) => bug !== undefined)
      .flatMap((bug) => availableTypes(all.get(bug.product_id)?.flagTypes ?? [], target, bug.component_id));
  return [...drafts.all()].flatMap(({ before, after, comments, privacy, attachments }): BugChange[] => {
    const former = before ?? after;
    const places = { before: placeOfBug(former), after: placeOfBug(after) };
    const { changes, ...values } = fieldChanges(former, after, places, fields, custom);
    if (before !== undefined && targets.includes(before.id)) {
      const [home, there] = [before, after].map((bug) => all.get(bug.product_id)?.product);
      checkRights(before, changes, { editor, fields, workflow, home, target: there });
    }
    const ofBug = flagChanges(before?.flags ?? [], after.flags, typesFor('bug', before, after));
    const lost = attachments.map((one) => ({
      isPrivate: one.after.is_private,
      flags: flagChanges(
        one.before.flags,
        one.after.flags,
        typesFor('attachment', before, after),
        one.after.id,
      ),
    }));
    const texts = flagTexts(ofBug);
    // The history tells of each attachment apart: it may become private.
    const history = [
      ...bugHistory({ before, after, privacy }, comments, changes, texts, fields),
      ...lost.flatMap(({ flags }) => flagTexts(flags)),
    ];
    const record = {
      ...values,
      flags: [...ofBug, ...lost.flatMap(({ flags }) => flags)],
      privacy: privacy.map(({ count, isPrivate }) => ({ count, isPrivate })),
    };
    const shownLost = lost.flatMap(({ isPrivate, flags }) => (isPrivate ? [] : flagTexts(flags)));
    if (before !== undefined) changes.push(...flagsRemoved(texts, shownLost));
    const isActive = before === undefined || changes.length + comments.length + privacy.length > 0;
    const product = followsProduct(before, after) ? all.get(after.product_id)?.product : undefined;
    const settings = { stored, lists: listsOf(before, after, fields) };
    return isActive
      ? [
          {
            ...{ before, after, product, settings, changes, history, record, privacy, attachments },
            comments: comments.map((one) => ({ ...one, id: 0 })),
          },
        ]
      : [];
  });
}

/** The lists of the settings whose values a change sets. */
function listsOf(before: BugItem | undefined, after: BugItem, fields: BugFields): SettingsList[] {
  const lists: SettingsList[] = CHOICE_FIELDS.filter(
    (name) => after[name] !== '' && after[name] !== before?.[name],
  );
  if (after.status !== before?.status) lists.push('bug_status');
  const isOfList = Object.entries(after.custom).some(([name, value]) => {
    const field = fields.named(name);
    return field !== undefined && kindOf(field).hasValues && !isDeepStrictEqual(value, before?.custom[name]);
  });
  return isOfList ? [...lists, 'custom_fields'] : lists;
}

/** What the history records: of a new bug its flags only, and the CC that they brought. */
function bugHistory(
  { before, after, privacy }: Pick<BugChange, 'before' | 'after' | 'privacy'>,
  comments: readonly CommentContent[],
  changes: FieldChange[],
  flags: FieldChange[],
  fields: BugFields,
): FieldChange[] {
  if (before !== undefined) return historyChanges([...changes, ...flags], comments, privacy, fields);
  if (flags.length === 0) return [];
  const asked = newRequestees([], after.flags);
  const cc = { field_name: 'cc', removed: '', added: asked.join(', ') };
  return asked.length === 0 ? flags : [cc, ...flags];
}
