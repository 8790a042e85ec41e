import type { BugItem } from '../bugs/schema.ts';
import { bugUrl } from '../bugs/see-also.ts';
import { isOpenStatus } from '../bugs/workflow.ts';
import type { ChangeSources } from '../events/change.ts';
import { knownProduct, placeOf } from '../products/known-products.ts';
import { readProducts } from '../products/read-products.ts';
import { normalizeName } from '../text.ts';
import type { Mail, MailContext } from './context.ts';
import { bugHeaders, reasonHeaders, threadHeaders } from './headers.ts';
import { interestedRoles, isMailed, rolesIn, signature } from './recipients.ts';
import { changeTable, rowsOf } from './rows.ts';

/** The mails to those with a role in a bug that depends on one which was closed or opened again. */
export async function dependencyMails(
  context: MailContext,
  related: ReadonlyMap<number, BugItem>,
  sources: ChangeSources,
): Promise<Mail[]> {
  const { change, rules, changer, viewerOf } = context;
  const { bug, history } = change;
  const state = history.find(({ field_name }) => field_name === 'status');
  if (state === undefined || isOpenStatus(state.removed) === isOpenStatus(state.added)) return [];
  const missing = bug.blocks.filter((id) => !related.has(id));
  const read = missing.length === 0 ? new Map<number, BugItem>() : await sources.bugs.byIds(missing);
  const blocked = bug.blocks.flatMap((id) => related.get(id) ?? read.get(id) ?? []);
  const logins = blocked.flatMap((one) => [...rolesIn(one).values()].map(({ login }) => login));
  const users = await sources.users.byLogins(logins);
  const products = await readProducts(blocked, sources);
  const rows = rowsOf(change).filter(({ name }) => name === 'bug_status' || name === 'resolution');
  const ordered = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return blocked.flatMap((dependent) => {
    const product = products.get(dependent.product_id);
    const place = placeOf(dependent, product === undefined ? undefined : knownProduct(product));
    const about = { ...context, change: { ...change, bug: dependent, product, place } };
    const body = [
      `${bugUrl(rules.base, dependent.id)}\nBug ${dependent.id} depends on bug ${bug.id}, which changed state.\n`,
      `\nBug ${bug.id} Summary: ${bug.summary}\n${bugUrl(rules.base, bug.id)}\n\n${changeTable(ordered)}\n`,
    ].join('');
    return [...rolesIn(dependent).values()].flatMap(({ login, roles }): Mail[] => {
      const user = users.get(normalizeName(login));
      if (user === undefined || user.id === changer?.id || !isMailed(user)) return [];
      const viewer = viewerOf(user);
      if (!viewer.maySee(bug) || !viewer.maySee(dependent)) return [];
      const reasons = interestedRoles(login, roles, ordered, false);
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
  });
}
