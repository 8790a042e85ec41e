import { normalizeName } from '../../../lib/base/text.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { followedBug } from '../../../lib/bugs/store/follow-product.ts';
import { type BugSettings, bugSettingsRepository } from '../../../lib/bugs/store/settings-repository.ts';
import { openGroupGraph } from '../../../lib/people/group-graph.ts';
import { requiredGroups } from '../../../lib/products/group-controls.ts';
import type { ProductWithParts } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { keyText, productKey } from '../../../lib/table/keys.ts';
import { type Check, findingsOf, note, type Problem, rewriteBug } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';
import { readProductsOf, repeatedNames } from './products.ts';

/**
 * The values of a bug agree with one another: no dependency on itself; no negative hours; distinct aliases. Its product,
 * component, version and milestone exist; it has the groups that are MANDATORY in its product.
 *
 * Notes are what an import may bring: status, resolution and duplicate that do not agree, as old bugs of a Bugzilla have them;
 * versions and milestones of products that were invalid; statuses that Bugzilla's default workflow lacks, but where the
 * deployment has statuses of its own no list has such bugs.
 */
export const bugValuesCheck = (table: Table): Check => ({
  async scan(items) {
    const bugs = ofKind(items, kinds.bug);
    const [settings, productOf, { inactive }] = await Promise.all([
      bugSettingsRepository(table).read(),
      readProductsOf(table, bugs),
      openGroupGraph(table)(),
    ]);
    return bugs.flatMap(({ key, content: bug }) =>
      findingsOf(key, [
        ...valueProblems(bug, settings),
        ...productProblems(bug, productOf.get(bug.product_id), inactive),
      ]),
    );
  },
});

function valueProblems(
  { id, status, resolution, dupe_of, aliases, ...bug }: BugItem,
  { workflow, legal }: BugSettings,
): Problem[] {
  const isKnown = workflow.names.includes(status);
  const isOpen = workflow.isOpen(status);
  return [
    !isKnown && {
      violation: `has the status '${status}', which does not exist`,
      isNote: legal.bug_status === undefined,
    },
    legacy(isKnown && isOpen && resolution !== '', `is ${status} with the resolution '${resolution}'`),
    legacy(isKnown && !isOpen && resolution === '', `is ${status} without a resolution`),
    legacy(
      isKnown && resolution === 'DUPLICATE' && dupe_of === null,
      'is DUPLICATE without a bug that it duplicates',
    ),
    [...bug.blocks, ...bug.depends_on].includes(id) && 'depends on itself',
    dupe_of === id && 'is a duplicate of itself',
    Math.min(bug.estimated_time, bug.remaining_time) < 0 && 'has negative hours',
    ...repeatedNames(aliases).map((alias) => `has the alias '${alias}' twice`),
  ];
}

/** A state that no request makes, and that old bugs of a Bugzilla have. */
const legacy = (isSo: boolean, violation: string): Problem => isSo && note(violation);

function productProblems(
  bug: BugItem,
  home: ProductWithParts | undefined,
  inactive: ReadonlySet<string>,
): Problem[] {
  if (home === undefined) return [`is in ${keyText(productKey(bug.product_id))}, which does not exist`];
  const { component_id, version, target_milestone: milestone } = bug;
  const isNamed = (parts: { name: string }[], name: string) => parts.some((part) => part.name === name);
  const lacks = (part: string) => `has the ${part}, which its product does not have`;
  return [
    !home.components.some(({ id }) => id === component_id) && lacks(`component ${component_id}`),
    !isNamed(home.versions, version) && note(lacks(`version '${version}'`)),
    !isNamed(home.milestones, milestone) && note(lacks(`milestone '${milestone}'`)),
    publicProblem(bug, home, inactive),
  ];
}

/** A bug that lacks a group that is MANDATORY in its product can be seen by others than its product. */
function publicProblem(bug: BugItem, { product }: ProductWithParts, inactive: ReadonlySet<string>): Problem {
  const mandatory = requiredGroups(product, (group) => inactive.has(normalizeName(group)));
  const restricted = followedBug(bug, { groups: { add: mandatory, remove: [] } });
  if (restricted === undefined) return false;
  const missing = restricted.groups.filter((group) => !bug.groups.includes(group));
  const violation = `is not in the group '${missing.join("', '")}', which its product requires`;
  return { violation, repair: rewriteBug(bug, restricted) };
}
