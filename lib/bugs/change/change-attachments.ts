import { updatedNames } from '../../base/names.ts';
import { errors } from '../../errors.ts';
import { requireUser } from '../../people/caller.ts';
import { attachmentFlagTypes } from '../../products/schema.ts';
import type { IdempotencyRecord, RecordFor } from '../../table/idempotency.ts';
import { retryStale } from '../../table/retry.ts';
import { attachmentHeading } from '../attachments/presenter.ts';
import type { AttachmentRepository } from '../attachments/repository.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import {
  checkContentType,
  checkFileName,
  checkSize,
  checkSummary,
  MAX_ATTACHMENTS_A_BUG,
} from '../attachments/validation.ts';
import { plainChange } from '../changes.ts';
import type { CommentRepository } from '../comments/repository.ts';
import { checkContent, contentOf } from '../comments/validation.ts';
import type { GivenFlag } from '../flags/requests.ts';
import { flagChanges, flagTexts, newRequestees } from '../flags/set-flags.ts';
import type { Editor } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { requireBugs } from '../store/find-bugs.ts';
import {
  type AttachmentContext,
  attachmentFlags,
  attachmentHistory,
  changedAttachment,
  changedFields,
  type GivenAttachment,
  joinTexts,
  NOW,
} from './change-attachment.ts';
import { requireEditableProducts } from './compute-changes.ts';
import { type AllocatedIds, withIds } from './drafts.ts';
import type { SourceRepositories } from './sources.ts';

interface Repositories extends SourceRepositories {
  attachments: AttachmentRepository;
  comments: CommentRepository;
}

/** An attachment with its comment and bug takes seven items, of the hundred of a transaction. */
const MAX_BUGS_AN_ATTACHMENT = 14;
const MAX_ATTACHMENTS_AN_UPDATE = 20;

/** The attachments of one bug that a request creates or changes. */
interface BugAttachments {
  bug: BugItem;
  attachments: { before: AttachmentItem | undefined; after: AttachmentItem; text: string }[];
}

/** What new attachments are written with; updates have none of it. */
interface Creation {
  record?: IdempotencyRecord | undefined;
  /** stores the data, which is not in the items of attachments, before these */
  storeData?: () => Promise<void>;
  commentIds?: AllocatedIds;
}

/** Creates and changes attachments, with their comments and flags. functions/attachments/README.md. */
export function attachmentChanges(repositories: Repositories, maxBytes: number) {
  const { attachments, bugs, comments, users } = repositories;

  /** Writes what a request does to the attachments of bugs. @throws StaleWrite when one was written meanwhile */
  async function write(
    changed: readonly BugAttachments[],
    context: AttachmentContext,
    { record, storeData, commentIds }: Creation = {},
  ): Promise<void> {
    const changes = changed.map(({ bug, attachments: given }) => {
      const flags = given.map(({ before, after }) =>
        flagChanges(before?.flags ?? [], after.flags, attachmentFlagTypes(bug, context), after.id),
      );
      const asked = given.flatMap(({ before, after }) => newRequestees(before?.flags ?? [], after.flags));
      const cc = updatedNames(bug.cc, { add: asked });
      const joined = cc.slice(bug.cc.length);
      return plainChange(
        bug,
        { ...bug, cc },
        {
          history: [
            ...(joined.length === 0 ? [] : [{ field_name: 'cc', removed: '', added: joined.join(', ') }]),
            ...given.flatMap(({ before, after }) => attachmentHistory(before, after)),
            ...flags.flatMap(flagTexts),
          ],
          record: { added: joined.length === 0 ? {} : { cc: joined }, flags: flags.flat() },
          comments: given
            .filter(({ text }) => text !== '')
            .map(({ after: { id, is_private }, text }) => {
              return { ...contentOf(text, { is_private }), attachment_id: id, id: 0 };
            }),
          attachments: given.map(({ before, after }) => ({ before, after })),
        },
      );
    });
    const numbered = await withIds(changes, repositories, commentIds);
    await bugs.write(requireUser(context.editor.caller), numbered, record, storeData);
  }

  async function readContext(editor: Editor, targets: readonly BugItem[], flags: readonly GivenFlag[]) {
    const [products, known] = await Promise.all([
      repositories.products.ofBugs(targets),
      users.byLogins(flags.flatMap(({ requestee }) => requestee?.trim() ?? [])),
    ]);
    return { editor, products, users: known };
  }

  return {
    /**
     * Attaches a file to each of the bugs.
     *
     * @param names ids and aliases of bugs
     * @returns the ids of the attachments, in the order of the bugs
     * @throws DuplicateRequest
     */
    async create(
      names: readonly string[],
      data: Uint8Array,
      given: GivenAttachment,
      awaitedEditor: Promise<Editor>,
      recordFor: RecordFor,
    ): Promise<number[]> {
      if (names.length > MAX_BUGS_AN_ATTACHMENT)
        throw errors.requestTooLarge(`at most ${MAX_BUGS_AN_ATTACHMENT} bugs`);
      checkSize(data, maxBytes);
      const isPatch = given.is_patch ?? false;
      const fields = {
        file_name: checkFileName(given.file_name, errors.attachmentNameMissing),
        summary: checkSummary(given.summary),
        content_type: checkContentType(given.content_type, isPatch),
        is_patch: isPatch,
        is_private: given.is_private ?? false,
        is_obsolete: false,
        size: data.length,
      };
      let allocated: Promise<[attachment: number, comment: number, parts: Uint8Array[]]> | undefined;
      let stored: Promise<void> | undefined;
      return retryStale('the bugs', async () => {
        const awaitedCaller = awaitedEditor.then(({ caller }) => caller);
        const { bugs: targets } = await requireBugs(names, awaitedCaller, bugs);
        const editor = await awaitedEditor;
        const context = await readContext(editor, targets, given.flags);
        requireEditableProducts(targets, context.products, editor);
        if (targets.some((bug) => bug.attachment_count >= MAX_ATTACHMENTS_A_BUG)) {
          throw errors.requestTooLarge(`at most ${MAX_ATTACHMENTS_A_BUG} attachments on a bug`);
        }
        const content = contentOf(given.comment, fields);
        checkContent(content, editor);
        const flags = targets.map((bug) =>
          attachmentFlags(context, { ...fields, flags: [] }, bug, given.flags),
        );
        // Once. Each gets a comment.
        const count = targets.length;
        allocated ??= Promise.all([
          ...([attachments.allocateIds(count), comments.allocateId(count)] as const),
          attachments.partsFor(count, data),
        ]);
        const [first, firstComment, parts] = await allocated;
        const ids = targets.map((_, index) => first + index);
        const changed = targets.map((bug, index): BugAttachments => {
          const after: AttachmentItem = {
            ...fields,
            ...{ id: first + index, bug_id: bug.id, creator: editor.caller.user?.login ?? '' },
            ...{ creation_time: NOW, last_change_time: NOW, flags: flags[index] ?? [] },
            ...{ parts: parts.length, revision: 0 },
          };
          const text = joinTexts(attachmentHeading('Created', after), content.text);
          return { bug, attachments: [{ before: undefined, after, text }] };
        });
        const record = recordFor(first, count);
        const storeData = () => {
          stored ??= attachments.putParts(ids, parts);
          return stored;
        };
        await write(changed, context, {
          record,
          storeData,
          commentIds: { first: firstComment, count },
        });
        return ids;
      });
    },

    /**
     * Changes attachments, all or none.
     *
     * @returns each once, in the order of the ids, with what changed by the names of the interface
     */
    async update(ids: readonly number[], given: GivenAttachment, editor: Editor) {
      const distinct = [...new Set(ids)];
      if (distinct.length > MAX_ATTACHMENTS_AN_UPDATE)
        throw errors.requestTooLarge(`at most ${MAX_ATTACHMENTS_AN_UPDATE} attachments`);
      return retryStale('the attachments', async () => {
        const found = await attachments.byIds(distinct);
        const targets = distinct.map((id) => found.get(id) ?? unknown(id));
        const byId = await bugs.byIds([...new Set(targets.map(({ bug_id }) => bug_id))]);
        const context = await readContext(editor, [...byId.values()], given.flags);
        const computed = targets.map((before) => {
          const bug = byId.get(before.bug_id);
          if (bug === undefined) throw errors.attachmentUnknown(String(before.id));
          return { bug, ...changedAttachment(context, before, bug, given) };
        });
        const active = computed.filter(({ before, after, text }) => after !== before || text !== '');
        const changed = [...Map.groupBy(active, ({ bug }) => bug)].map(([bug, own]) => ({
          bug,
          attachments: own,
        }));
        if (changed.length > 0) await write(changed, context);
        const current = changed.length === 0 ? found : await attachments.byIds(distinct);
        return computed.map(({ bug, before, after }) => ({
          attachment: current.get(before.id) ?? after,
          changes: [
            ...changedFields(before, after),
            ...flagTexts(flagChanges(before.flags, after.flags, attachmentFlagTypes(bug, context), after.id)),
          ],
        }));
      });
    },
  };
}

function unknown(id: number): never {
  throw errors.attachmentUnknown(String(id));
}
