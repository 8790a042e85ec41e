import { errors } from '../../errors.ts';
import type { BugDrafts } from '../drafts.ts';
import type { BugUpdate, UpdateSources } from './bug-update.ts';
import { relate, seeAlso } from './links.ts';
import { aliases, groups, keywords } from './lists.ts';
import { people } from './people.ts';
import { choices, hours, place, state, texts } from './values.ts';

/**
 * Changes a bug, and the bugs at the other ends of its dependencies and of its `see_also`.
 *
 * @param drafts has the bug, and every bug that the change concerns
 * @throws errors of 50 to 56 for values, 103 for aliases, 104 to 107, 112, 118 to 123
 */
export function applyUpdate(drafts: BugDrafts, id: number, update: BugUpdate, sources: UpdateSources): void {
  const bug = drafts.get(id);
  const home = bug === undefined ? undefined : sources.products.get(bug.product_id);
  if (bug === undefined || home === undefined) throw errors.bugUnknown(String(id));
  const product = sources.target ?? home;
  const placed = place(bug, update, product, home);
  const componentId = placed.component_id ?? bug.component_id;
  const component = product.components.find((one) => one.id === componentId);
  drafts.change(id, {
    ...placed,
    ...texts(bug, update),
    ...choices(update, sources.legal),
    ...people(bug, update, component, sources),
    ...hours(bug, update, sources.workTime),
    ...state(bug, update, product, sources),
    is_creator_accessible: update.is_creator_accessible ?? bug.is_creator_accessible,
    is_cc_accessible: update.is_cc_accessible ?? bug.is_cc_accessible,
    aliases: aliases(bug, update.alias),
    keywords: keywords(bug, update.keywords, sources),
    groups: groups(bug, update.groups, product, home, sources.caller),
  });
  for (const field of ['blocks', 'depends_on'] as const) relate(drafts, id, field, update[field], sources);
  seeAlso(drafts, id, update.see_also, sources);
}
