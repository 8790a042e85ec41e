import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { requireUser } from '../../people/caller.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import type { RecordFor } from '../../table/idempotency.ts';
import { retryStale } from '../../table/retry.ts';
import type { AttachmentRepository } from '../attachments/repository.ts';
import type { BugChange } from '../changes.ts';
import type { TagRepository } from '../comment-tags/repository.ts';
import type { CommentRepository } from '../comments/repository.ts';
import { checkContent } from '../comments/validation.ts';
import type { Editor } from '../permissions.ts';
import { MAX_UPDATED_BUGS } from '../requests.ts';
import type { BugItem } from '../schema.ts';
import { requireBugs, requireVersion } from '../store/find-bugs.ts';
import type { BugSettings } from '../store/settings-repository.ts';
import type { NewBugRequest, UpdateContext, UpdateRequest } from './bug-update.ts';
import { checkTags, checkWorkTime, setPrivacy, tagComments } from './comments.ts';
import { applyUpdate, bugChangesOf, requireEditableProducts } from './compute-changes.ts';
import { bugsInCustom } from './custom-values.ts';
import { BugDrafts, withIds } from './drafts.ts';
import { withEnabledAssignees } from './enabled-assignees.ts';
import { emptyBug, withDefaults } from './new-bug.ts';
import {
  checkNumbers,
  readKeywords,
  readOtherBugs,
  readProduct,
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

/** What the change of bugs is computed from, and what its checks read. */
type Known = Pick<UpdateContext, 'editor' | 'users' | 'products' | 'target' | 'workTime'> & {
  settings: BugSettings;
};

/** Creates and changes bugs. */
export function bugChanges(repositories: UpdateRepositories) {
  const { attachments, bugs, comments, tags, bugSettings } = repositories;

  /**
   * Reads what else the change of bugs is computed from.
   *
   * @param targets the bugs that the request names; none: it creates one
   * @param given what was read already
   */
  async function readContext(
    targets: readonly BugItem[],
    { update, custom, flags, comment }: Pick<UpdateRequest, 'update' | 'custom' | 'flags' | 'comment'>,
    { settings, ...given }: Known,
  ): Promise<UpdateContext> {
    const { editor, products, target } = given;
    const drafts = new BugDrafts();
    drafts.add(targets);
    const { component = '', reset_assigned_to = false } = update;
    const asked = component === '' ? componentsOf(targets, products) : [component.trim()];
    const assigning = async (product: ProductWithParts) =>
      reset_assigned_to
        ? withEnabledAssignees(product, new Set(asked.map(normalizeName)), repositories.users)
        : product;
    const homes = target === undefined ? [...products.values()] : [target];
    const [keywords, namedBug, assigned] = await Promise.all([
      readKeywords(update, repositories),
      readOtherBugs(update, bugsInCustom(custom, settings.fields), drafts, editor, repositories),
      Promise.all(homes.map(assigning)),
    ]);
    // Whether the caller may change the bugs that get or lose a `see_also`, too, follows from their products.
    const others = [...drafts.all()].map(({ after }) => after).filter((bug) => !products.has(bug.product_id));
    const further = update.see_also === undefined ? [] : await repositories.products.ofBugs(others);
    const known = assigned.map((product) => [product.product.id, product] as const);
    return {
      ...{ ...settings, ...given, update, custom, flags, comment, drafts, keywords, namedBug },
      ...{ readBugs: bugs.byIds, allocateId: bugs.allocateId },
      products: new Map([...products, ...further, ...known]),
      target: target && assigned[0],
    };
  }

  async function computeUpdate(
    targets: readonly BugItem[],
    request: UpdateRequest,
    editor: Editor,
  ): Promise<BugChange[]> {
    const { update, comment, privacy } = request;
    const reporters = update.dupe_of === undefined ? [] : targets.map(({ reporter }) => reporter);
    const [products, users, settings] = await Promise.all([
      repositories.products.ofBugs(targets),
      readUsers(request, repositories, reporters),
      bugSettings.read(),
    ]);
    const target = update.product === undefined ? undefined : await readProduct(update.product, repositories);
    if (target !== undefined && targets.some(({ product_id }) => product_id !== target.product.id)) {
      requireEnterable(target, editor.caller, update.product);
    }
    requireEditableProducts(targets, products, editor);
    if (targets.length > 1 && update.alias !== undefined) throw errors.aliasOfSeveral();
    if (targets.length > 1 && update.dupe_of !== undefined) throw errors.duplicateOfSeveral();
    const workTime = checkWorkTime(request.workTime, editor);
    checkContent(comment, editor);
    const known = { editor, settings, users, products, target, workTime };
    const context = await readContext(targets, request, known);
    if (update.product !== undefined || update.component !== undefined) {
      // They lose flags.
      for (const { id, attachment_count } of targets) {
        if (attachment_count > 0) context.drafts.addAttachments(id, await attachments.ofBug(id));
      }
    }
    const ids = await applyUpdate(targets, context);
    await setPrivacy(context.drafts, ids, privacy, editor, comments);
    return withIds(bugChangesOf(context, ids), repositories);
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
        readUsers({ update: given, flags }, repositories),
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
      const created = await retryStale('the bugs', async (attempt) => {
        const isFirst = attempt === 1;
        const settings = isFirst ? firstSettings : await bugSettings.read();
        const product = isFirst ? firstProduct : await readProduct(given.product, repositories);
        if (!isFirst) requireEnterable(product, editor.caller, given.product);
        const update = withDefaults(given, product, settings);
        const known = {
          ...{ editor, settings, workTime: 0, target: product },
          products: new Map([[product.product.id, product]]),
          users: isFirst ? firstUsers : await readUsers({ update, flags }, repositories),
        };
        const context = await readContext([], { update, custom, flags, comment }, known);
        context.allocateId = async () => (await allocate())[0];
        const [id = 0] = await applyUpdate([emptyBug(update, product, editor)], context);
        const [, first] = await allocate();
        const changes = await withIds(bugChangesOf(context, []), repositories, { first, count: 1 });
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
     * @returns each bug once, in the order of the names, with its change; undefined: nothing changed
     */
    async update(names: readonly string[], request: UpdateRequest, awaitedEditor: Promise<Editor>) {
      if (names.length > MAX_UPDATED_BUGS) throw errors.requestTooLarge(`at most ${MAX_UPDATED_BUGS} bugs`);
      checkNumbers(request.update, request.privacy);

      // Another request may write one of the bugs between reading and writing: then the change is computed again.
      const { targets, changeOf, added, newTags, written } = await retryStale('the bugs', async () => {
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
      });

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

/** The names of the components of bugs. */
const componentsOf = (bugs: readonly BugItem[], products: Known['products']): string[] =>
  bugs.flatMap(({ product_id, component_id }) => {
    const component = products.get(product_id)?.components.find(({ id }) => id === component_id);
    return component?.name ?? [];
  });
