import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { requireUser } from '../../people/caller.ts';
import type { ComponentItem, ProductWithParts } from '../../products/schema.ts';
import type { RecordFor } from '../../table/idempotency.ts';
import { retryStale } from '../../table/retry.ts';
import type { AttachmentRepository } from '../attachments/repository.ts';
import type { BugChange } from '../changes.ts';
import type { TagRepository } from '../comment-tags/repository.ts';
import type { CommentRepository } from '../comments/repository.ts';
import { checkContent } from '../comments/validation.ts';
import type { GivenFlag } from '../flags/requests.ts';
import type { Editor } from '../permissions.ts';
import { MAX_UPDATED_BUGS } from '../requests.ts';
import type { BugItem } from '../schema.ts';
import { requireBugs, requireVersion } from '../store/find-bugs.ts';
import type { BugSettings } from '../store/settings-repository.ts';
import type { BugUpdate, NewBugRequest, UpdateRequest } from './bug-update.ts';
import { checkTags, checkWorkTime, setPrivacy, tagComments } from './comments.ts';
import { applyUpdate, bugChangesOf, requireEditableProducts } from './compute-changes.ts';
import { bugsInCustom } from './custom-values.ts';
import { BugDrafts, withIds } from './drafts.ts';
import { withEnabledAssignees } from './enabled-assignees.ts';
import { emptyBug, withDefaults } from './new-bug.ts';
import {
  checkNumbers,
  readKeywords,
  readNamedBugs,
  readProduct,
  readRelatedBugs,
  readUsers,
  requireEnterable,
  type SourceRepositories,
} from './sources.ts';

export interface UpdateRepositories extends SourceRepositories {
  attachments: AttachmentRepository;
  comments: CommentRepository;
  tags: TagRepository;
}

/** What the creation of a bug reads first. */
interface CreationReads {
  product: Promise<ProductWithParts>;
  settings: Promise<BugSettings>;
}

/** A bug after an update. */
export interface UpdatedBug {
  bug: BugItem;
  /** undefined: nothing changed */
  change: BugChange | undefined;
}

/**
 * Creates and changes bugs.
 *
 * @param timeoutMs how long a change is computed again because another request wrote one of its bugs meanwhile
 */
export function bugChanges(repositories: UpdateRepositories, timeoutMs: number) {
  const { attachments, bugs, comments, tags, bugSettings } = repositories;
  const readBugs = (ids: number[]) => bugs.byIds(ids);

  async function computeUpdate(
    targets: readonly BugItem[],
    { update, custom, flags, comment, workTime: hours, privacy }: UpdateRequest,
    editor: Editor,
  ): Promise<BugChange[]> {
    const reporters = update.dupe_of === undefined ? [] : targets.map(({ reporter }) => reporter);
    const [products, users, keywords, { legal, fields, workflow, stored }] = await Promise.all([
      repositories.products.ofBugs(targets),
      readUsers(update, [...reporters, ...requesteesIn(flags)], repositories),
      readKeywords(update, repositories),
      bugSettings.read(),
    ]);
    const target = update.product === undefined ? undefined : await readProduct(update.product, repositories);
    if (target !== undefined && targets.some(({ product_id }) => product_id !== target.product.id)) {
      requireEnterable(target, editor.caller, update.product);
    }
    requireEditableProducts(targets, products, { editor });
    if (targets.length > 1 && update.alias !== undefined) throw errors.aliasOfSeveral();
    if (targets.length > 1 && update.dupe_of !== undefined) throw errors.duplicateOfSeveral();
    const workTime = checkWorkTime(hours, editor);
    checkContent(comment, editor);
    const drafts = new BugDrafts();
    drafts.add(targets);
    const named = bugsInCustom(custom, fields);
    const bugIds = await readNamedBugs(update, named, drafts, editor, repositories);
    await readRelatedBugs(update, targets, drafts, editor, repositories);
    const isOfBugs = ({ id }: ComponentItem) => targets.some(({ component_id }) => component_id === id);
    const names = new Set(
      [...products.values()].flatMap(({ components }) =>
        components.filter(isOfBugs).map(({ name }) => normalizeName(name)),
      ),
    );
    const isOfSameName = ({ name }: ComponentItem) => names.has(normalizeName(name));
    const read = await readLinkedProducts(update, drafts, products);
    const linked = new Map<number, ProductWithParts>();
    for (const [id, product] of read) linked.set(id, await withAssignees(product, update, isOfBugs));
    if (update.product !== undefined || update.component !== undefined)
      await readAttachments(targets, drafts);
    const sources = {
      editor,
      fields,
      legal,
      workflow,
      stored,
      users,
      keywords,
      bugIds,
      workTime,
      products: linked,
      target: target === undefined ? undefined : await withAssignees(target, update, isOfSameName),
    };
    const reads = { bugs: readBugs, allocateId: bugs.allocateId };
    const ids = await applyUpdate(targets, drafts, { update, custom, flags, comment }, sources, reads);
    await setPrivacy(drafts, ids, privacy, editor, comments);
    return withIds(bugChangesOf(drafts, ids, custom, sources), repositories);
  }

  /** A product as it assigns bugs by the component that a request names, or by other ones. */
  async function withAssignees(
    product: ProductWithParts,
    { component = '', reset_assigned_to = false }: BugUpdate,
    isAsked: (component: ComponentItem) => boolean = () => false,
  ): Promise<ProductWithParts> {
    if (!reset_assigned_to) return product;
    const isNamed = ({ name }: ComponentItem) => normalizeName(name) === normalizeName(component.trim());
    return withEnabledAssignees(product, component === '' ? isAsked : isNamed, repositories.users);
  }

  /** The attachments of bugs that may move: they lose flags. */
  async function readAttachments(targets: readonly BugItem[], drafts: BugDrafts): Promise<void> {
    for (const { id, attachment_count } of targets) {
      if (attachment_count > 0) drafts.addAttachments(id, await attachments.ofBug(id));
    }
  }

  /** The products of the bugs that get or lose a `see_also`, too: whether the caller may change them follows from these. */
  async function readLinkedProducts(
    { see_also }: BugUpdate,
    drafts: BugDrafts,
    known: ReadonlyMap<number, ProductWithParts>,
  ): Promise<ReadonlyMap<number, ProductWithParts>> {
    if (see_also === undefined) return known;
    const others = [...drafts.all()].map(({ after }) => after).filter((bug) => !known.has(bug.product_id));
    return new Map([...known, ...(await repositories.products.ofBugs(others))]);
  }

  return {
    /** Starts to read what the creation of a bug needs, before it is known who creates it. */
    readAhead(product: string | undefined): CreationReads {
      const reads = { product: readProduct(product, repositories), settings: bugSettings.read() };
      // A request that is refused before these are needed never awaits them.
      for (const read of Object.values(reads)) read.catch(() => undefined);
      return reads;
    },

    /**
     * Creates a bug with its description, the comment 0.
     *
     * @param editor is authenticated, and becomes the reporter
     * @param reads of `readAhead`, for the same product
     * @returns the id
     * @throws DuplicateRequest
     */
    async create(
      { update: given, custom, flags, tags: requestedTags, comment }: NewBugRequest,
      editor: Editor,
      reads: CreationReads,
      recordFor: RecordFor,
    ): Promise<number> {
      const user = requireUser(editor.caller);
      checkNumbers(given);
      const [firstProduct, firstSettings, firstUsers] = await Promise.all([
        reads.product,
        reads.settings,
        readUsers(given, requesteesIn(flags), repositories),
      ]);
      requireEnterable(firstProduct, editor.caller, given.product);
      checkContent(comment, editor);
      const newTags = checkTags(requestedTags, editor);
      let allocated: Promise<[bug: number, comment: number]> | undefined;
      // Once, and only for a request whose fields are valid: others leave no gap.
      const allocate = () => {
        allocated ??= Promise.all([bugs.allocateId(), comments.allocateId()]);
        return allocated;
      };
      const created = await retryStale(timeoutMs, 'the bugs', async (attempt) => {
        const isFirst = attempt === 1;
        const { legal, fields, workflow, stored } = isFirst ? firstSettings : await bugSettings.read();
        const product = isFirst ? firstProduct : await readProduct(given.product, repositories);
        if (!isFirst) requireEnterable(product, editor.caller, given.product);
        const update = withDefaults(given, product, fields, legal);
        const drafts = new BugDrafts();
        const [assigning, users, keywords, bugIds] = await Promise.all([
          withAssignees(product, update),
          isFirst ? firstUsers : readUsers(update, requesteesIn(flags), repositories),
          readKeywords(update, repositories),
          readNamedBugs(update, bugsInCustom(custom, fields), drafts, editor, repositories),
        ]);
        const products = await readLinkedProducts(update, drafts, new Map([[product.product.id, assigning]]));
        const sources = {
          editor,
          fields,
          legal,
          workflow,
          stored,
          users,
          keywords,
          bugIds,
          products,
          workTime: 0,
          target: assigning,
        };
        const further = { bugs: readBugs, allocateId: async () => (await allocate())[0] };
        const empty = emptyBug(update, product, editor);
        const [id = 0] = await applyUpdate(
          [empty],
          drafts,
          { update, custom, flags, comment },
          sources,
          further,
        );
        const [, first] = await allocate();
        const changes = await withIds(bugChangesOf(drafts, [], custom, sources), repositories, {
          first,
          count: 1,
        });
        await bugs.write(user, changes, recordFor(id));
        const [text] = changes.find(({ after }) => after.id === id)?.comments ?? [];
        return { id, description: text?.id };
      });
      await tagComments([created.description ?? 0], newTags, comments, tags);
      return created.id;
    },

    /**
     * Changes all of these bugs, or none.
     *
     * @param names ids and aliases
     * @param awaitedEditor is authenticated; the bugs are read meanwhile
     * @returns each bug once, in the order of the names
     */
    async update(
      names: readonly string[],
      request: UpdateRequest,
      awaitedEditor: Promise<Editor>,
    ): Promise<UpdatedBug[]> {
      if (names.length > MAX_UPDATED_BUGS) throw errors.requestTooLarge(`at most ${MAX_UPDATED_BUGS} bugs`);
      checkNumbers(request.update, request.privacy);

      // Another request may write one of the bugs between reading and writing: then the change is computed again.
      const { targets, changeOf, added, newTags, written } = await retryStale(
        timeoutMs,
        'the bugs',
        async () => {
          const awaitedCaller = awaitedEditor.then(({ caller }) => caller);
          const { bugs: targets } = await requireBugs(names, awaitedCaller, bugs);
          const editor = await awaitedEditor;
          requireVersion(targets, request.versions);
          const changes = await computeUpdate(targets, request, editor);
          const changeOf = new Map(changes.map((change) => [change.after.id, change]));
          const added = targets.flatMap(({ id }) => changeOf.get(id)?.comments ?? []);
          const newTags = added.length === 0 ? [] : checkTags(request.tags, editor);
          // What is queued has no condition.
          const write = request.versions === undefined ? bugs.writeOrQueue : bugs.write;
          const written = await write(requireUser(editor.caller), changes);
          return { targets, changeOf, added, newTags, written };
        },
      );

      await tagComments(
        added.map(({ id }) => id),
        newTags,
        comments,
        tags,
      );
      return targets.map((target) => ({
        bug: written.get(target.id) ?? target,
        change: changeOf.get(target.id),
      }));
    },
  };
}

const requesteesIn = (flags: readonly GivenFlag[]): string[] =>
  flags.flatMap(({ requestee }) => requestee?.trim() ?? []);
