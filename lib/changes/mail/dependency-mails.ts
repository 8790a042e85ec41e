import { portions } from '../../base/collections.ts';
import { bugUrl } from '../../bugs/see-also.ts';
import { knownProduct, placeOf } from '../../products/place.ts';
import type { EventRepositories, PublishedChange } from '../events/change.ts';
import type { Mail, MailContext } from './context.ts';
import type { DependentMails } from './deliver.ts';
import { bugHeaders, reasonHeaders, threadHeaders } from './headers.ts';
import { isMailed, reasonsFor, rolesIn, signature, wantsChange } from './recipients.ts';
import { changeTable, rowsOf } from './rows.ts';
import { placesOf, readWatchers, recipientsOf } from './watchers.ts';

/** Bugs that are read together. */
const MAX_DEPENDENT_BUGS = 10;

/** The ids of the bugs that depend on one which a change closed or opened again, in their order; else none. */
export function dependentsOf({
  bug,
  history,
  workflow,
}: Pick<PublishedChange, 'bug' | 'history' | 'workflow'>): number[] {
  const state = history.find(({ field_name }) => field_name === 'status');
  if (state === undefined || workflow.isOpen(state.removed) === workflow.isOpen(state.added)) return [];
  return bug.blocks.toSorted((a, b) => a - b);
}

/**
 * The mails to those with a role in bugs, or who watch them or the component, that depend on one which was closed or opened again, bug by bug: there may be many.
 *
 * @param ids of the bugs
 */
export async function* dependencyMails(
  context: MailContext,
  ids: readonly number[],
  sources: EventRepositories,
): AsyncGenerator<DependentMails<Mail>> {
  for (const some of portions(ids, { max: MAX_DEPENDENT_BUGS })) yield* mailsOfBugs(context, some, sources);
}

async function* mailsOfBugs(
  context: MailContext,
  ids: number[],
  sources: EventRepositories,
): AsyncGenerator<DependentMails<Mail>> {
  const { change, rules, changer, viewerOf } = context;
  const { bug } = change;
  const read = await sources.bugs.byIds(ids);
  const blocked = ids.flatMap((id) => read.get(id) ?? []);
  const logins = blocked.flatMap((one) => [...rolesIn(one).values()].map(({ login }) => login));
  const users = await sources.users.mailedByLogins(logins);
  const watchers = await readWatchers(users.values(), blocked.flatMap(placesOf), sources);
  const products = await sources.products.ofBugs(blocked);
  const rows = rowsOf(change).filter(({ name }) => name === 'bug_status' || name === 'resolution');
  const ordered = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const dependent of blocked) {
    const product = products.get(dependent.product_id);
    const place = placeOf(dependent, product === undefined ? undefined : knownProduct(product));
    const about = { ...context, change: { ...change, bug: dependent, product, place } };
    const body = [
      `${bugUrl(rules.base, dependent.id)}\nBug ${dependent.id} depends on bug ${bug.id}, which changed state.\n`,
      `\nBug ${bug.id} Summary: ${bug.summary}\n${bugUrl(rules.base, bug.id)}\n\n${changeTable(ordered)}\n`,
    ].join('');
    const recipients = recipientsOf(rolesIn(dependent), users, watchers, placesOf(dependent));
    const mails = [...recipients].flatMap((recipient): Mail[] => {
      const { user } = recipient;
      if (user.id === changer?.id || !isMailed(user)) return [];
      const viewer = viewerOf(user);
      if (!viewer.maySee(bug) || !viewer.maySee(dependent)) return [];
      const reasons = reasonsFor(recipient, ordered, false, change.record);
      if (reasons === undefined || !wantsChange(user, ['status'])) return [];
      const end = signature(reasons);
      return [
        {
          ...{ recipient: user, changer: changer?.id ?? 0, type: 'dep_changed' },
          id: `dep_changed_${dependent.id}`,
          subject: `[Bug ${dependent.id}] ${dependent.summary}`,
          headers: {
            ...reasonHeaders(
              reasons,
              'dep_changed',
              ordered.map(({ name }) => name),
            ),
            ...bugHeaders(about),
            ...threadHeaders(about, user),
          },
          ...{ text: () => `${body}${end}`, hasHtml: true },
        },
      ];
    });
    yield { bug: dependent.id, mails };
  }
}
