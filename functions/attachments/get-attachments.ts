import { mapConcurrent } from '../../lib/base/collections.ts';
import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { isDamaged } from '../../lib/bugs/attachments/data.ts';
import { presentAttachment } from '../../lib/bugs/attachments/presenter.ts';
import { attachmentQuery } from '../../lib/bugs/attachments/requests.ts';
import type { AttachmentItem } from '../../lib/bugs/attachments/schema.ts';
import { requireReadableData } from '../../lib/bugs/attachments/validation.ts';
import {
  attachmentsWithBugs,
  requireReadableAttachments,
  shownAttachments,
} from '../../lib/bugs/store/attachments-with-bugs.ts';
import { requireBugs } from '../../lib/bugs/store/find-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup } from '../../lib/people/caller.ts';
import { attachmentFlagTypes, type FlagTypeItem } from '../../lib/products/schema.ts';
import type { AttachmentServices } from './services.ts';

/** The list of each takes a query. */
const MAX_BUGS_OF_ATTACHMENTS = 100;

/**
 * Returns the attachments of bugs, and attachments by id: those of the path and the query. Unknown ids are left out.
 * functions/attachments/README.md 2.
 */
export const getAttachments: Endpoint<AttachmentServices> = async (request, services) => {
  const query = parseParameters(attachmentQuery, request.parameters);
  const bugNames = [...new Set(request.named('id_or_alias', query.ids))];
  const names = [...new Set(request.named('attachment_id', query.attachment_ids))];
  const ids = names.map((id) => requireInteger('attachment_ids', id));
  if (bugNames.length > MAX_BUGS_OF_ATTACHMENTS)
    throw errors.requestTooLarge(`at most ${MAX_BUGS_OF_ATTACHMENTS} bugs`);
  // Reads run in parallel to the authentication.
  const [{ caller, bugs }, named] = await Promise.all([
    requireBugs(bugNames, request.caller, services.bugs),
    attachmentsWithBugs(ids, services),
  ]);
  const isInsider = isInGroup(caller, services.settings.INSIDER_GROUP);

  const ofBugs = [...(await shownAttachments(bugs, caller, isInsider, services)).values()].flat();
  const singles = requireReadableAttachments(named, caller, isInsider);

  const fields = readFieldSelection(request.parameters);
  const hasData = fields.has('data');
  if (hasData) requireReadableData([...ofBugs, ...singles]);
  const typesOf = await readFlagTypes([...ofBugs, ...singles], services);
  const faults: { id: number; faultCode: number; faultString: string }[] = [];
  const isOnly = singles.length === 1 && ofBugs.length === 0;
  const present = async (attachment: AttachmentItem) => {
    const shown = (data?: string) => presentAttachment(attachment, data, typesOf(attachment), fields);
    if (!hasData) return shown();
    try {
      return shown((await services.attachments.data(attachment)).toString('base64'));
    } catch (error) {
      // One that is damaged must not hide the others.
      if (!isDamaged(error) || isOnly) throw error;
      faults.push({ id: attachment.id, faultCode: error.code, faultString: error.message });
      return shown();
    }
  };
  const listed = await mapConcurrent(ofBugs, async (one) => ({ bug: one.bug_id, shown: await present(one) }));
  const byBug = Map.groupBy(listed, ({ bug }) => bug);
  const byId = await mapConcurrent(singles, async (one) => [one.id, await present(one)] as const);
  return ok({
    bugs: Object.fromEntries(bugs.map(({ id }) => [id, (byBug.get(id) ?? []).map(({ shown }) => shown)])),
    attachments: Object.fromEntries(byId),
    ...(faults.length === 0 ? {} : { faults: faults.sort((a, b) => a.id - b.id) }),
  });
};

/** The types that the flags of attachments may have, which say what they are; read only where there are flags. */
async function readFlagTypes(
  attachments: readonly AttachmentItem[],
  { bugs, products }: AttachmentServices,
): Promise<(attachment: AttachmentItem) => readonly FlagTypeItem[]> {
  const flagged = attachments.filter(({ flags }) => flags.length > 0);
  const byId = await bugs.byIds([...new Set(flagged.map(({ bug_id }) => bug_id))]);
  const read = await products.ofBugs(byId.values());
  const typesOf = new Map(
    [...byId.values()].map((bug) => [bug.id, attachmentFlagTypes(bug, { products: read })]),
  );
  return ({ bug_id }) => typesOf.get(bug_id) ?? [];
}
