import { putAttachmentActions } from '../../../lib/bugs/attachments/repository.ts';
import type { FlagItem } from '../../../lib/bugs/flags/schema.ts';
import { currentFlags } from '../../../lib/bugs/flags/set-flags.ts';
import { putBugActions } from '../../../lib/bugs/store/write-bug.ts';
import { availableTypes } from '../../../lib/products/flag-types.ts';
import type { FlagTypeItem, ProductWithParts } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { bugKey, productKey } from '../../../lib/table/keys.ts';
import type { Action } from '../../../lib/table/write.ts';
import { type Check, datedRepair, findingsOf, type Problem } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';
import { readProductsOf } from './products.ts';

/**
 * The flags of bugs and attachments are of types that their component has. Others are notes, because nothing shows them:
 * their type left the product, and the next write of the bug or the attachment removes them.
 */
export const flagsCheck = (table: Table): Check => ({
  async scan(items) {
    const bugs = ofKind(items, kinds.bug).filter(({ content }) => content.flags.length > 0);
    const attachments = ofKind(items, kinds.attachment).filter(({ content }) => content.flags.length > 0);
    const bugAt = await readKind(
      table,
      attachments.map(({ content }) => bugKey(content.bug_id)),
      kinds.bug,
    );
    const attached = attachments.flatMap(({ key, content }) => {
      const bug = bugAt(bugKey(content.bug_id));
      return bug === undefined ? [] : [{ key, attachment: content, bug }];
    });
    const products = await readProductsOf(table, [
      ...bugs.map(({ content }) => content),
      ...attached.map(({ bug }) => bug),
    ]);
    return [
      ...bugs.flatMap(({ key, content: bug }) => {
        const repair = (flags: FlagItem[]) => (now: string) =>
          putBugActions(bug, { ...bug, flags, revision: bug.revision + 1 }, now);
        return findingsOf(key, [
          staleFlags(bug.flags, 'bug', bug.component_id, products.get(bug.product_id), repair),
        ]);
      }),
      ...attached.flatMap(({ key, attachment, bug }) => {
        const repair = (flags: FlagItem[]) => () =>
          putAttachmentActions(attachment, { ...attachment, flags });
        const product = products.get(bug.product_id);
        return findingsOf(key, [
          staleFlags(attachment.flags, 'attachment', bug.component_id, product, repair),
        ]);
      }),
    ];
  },
});

function staleFlags(
  stored: readonly FlagItem[],
  target: FlagTypeItem['target'],
  component: number,
  product: ProductWithParts | undefined,
  repair: (flags: FlagItem[]) => (now: string) => Action[],
): Problem {
  if (product === undefined) return false;
  const types = availableTypes(product.flagTypes, target, component);
  const flags = currentFlags(stored, types);
  const stale = stored.filter(({ type_id }) => !types.some(({ id }) => id === type_id));
  if (stale.length === 0) return false;
  const { id, revision } = product.product;
  const isUnchanged: Action = {
    check: productKey(id),
    condition: 'revision = :read',
    values: { ':read': revision },
  };
  return {
    violation: `has flags of types that its component does not have: ${stale.map(({ type_id }) => type_id).join(', ')}`,
    isNote: true,
    repair: datedRepair((now) => [isUnchanged, ...repair(flags)(now)]),
  };
}
