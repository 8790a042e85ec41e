import { groupsTab, peopleTab } from './admin-people.js';
import { productsTab } from './admin-products.js';
import { auditTab, fieldsTab, keywordsTab } from './admin-values.js';
import { adminUrl } from './edit-table.js';
import { html, Tabs } from './elements.js';
import { reader, requireKey } from './rest.js';

/** The parts of administration, with the right that each needs, and what reads it. */
const TABS = [
  ['products', 'Products', 'edit_components', productsTab],
  ['people', 'People', 'edit_users', peopleTab],
  ['groups', 'Groups', 'create_groups', groupsTab],
  ['keywords', 'Keywords', 'edit_components', keywordsTab],
  ['fields', 'Fields', 'edit_components', fieldsTab],
  ['audit', 'Audit log', 'read_audit', auditTab],
];
/** The addresses of one thing, which has a heading of its own. */
const OF_ONE = ['product', 'user', 'group', 'field'];

/** What administrators change, as far as they have the rights. */
export async function page(parameters) {
  requireKey('administrate');
  const contentOf = ([, , , read]) => read(parameters);
  const wanted = TABS.find(([tab]) => tab === parameters.get('tab')) ?? TABS[0];
  // Most have the right for what they ask for: it is read meanwhile.
  const reading = contentOf(wanted);
  reading.catch(() => undefined);
  const user = await reader();
  const tabs = TABS.filter(([, , right]) => user.rights[right]);
  const chosen = tabs.includes(wanted) ? wanted : tabs[0];
  if (chosen === undefined) throw new Error('You have no rights of an administrator.');
  const [tab, title] = chosen;
  const content = await (chosen === wanted ? reading : contentOf(chosen));
  const isOfOne = OF_ONE.some((name) => parameters.has(name));
  return {
    title: `${title} – Administration`,
    content: html`${
      !isOfOne &&
      html`<div class="head"><h1>Administration</h1></div>
      <${Tabs} label="Administration" tabs=${tabs.map(([name, label]) => [label, adminUrl(name), name === tab])} />`
    }${content}`,
  };
}
