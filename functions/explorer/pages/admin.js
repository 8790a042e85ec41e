import { html } from './elements.js';
import { adminUrl } from './operation-form.js';
import { reader } from './rest.js';

/** The parts of administration, with the right that each needs. */
const TABS = [
  ['products', 'Products', 'edit_components'],
  ['people', 'People', 'edit_users'],
  ['groups', 'Groups', 'create_groups'],
  ['audit', 'Audit log', 'read_audit'],
];
const LOADERS = {
  products: async () => (await import('./admin-products.js')).productsTab,
  people: async () => (await import('./admin-people.js')).peopleTab,
  groups: async () => (await import('./admin-people.js')).groupsTab,
  audit: async () => (await import('./admin-audit.js')).auditTab,
};

/** What administrators change, as far as they have the rights. */
export async function adminPage(parameters) {
  const user = await reader();
  if (user === undefined) throw Object.assign(new Error('Sign in to administrate.'), { code: 410 });
  const tabs = TABS.filter(([, , right]) => user.rights[right]);
  const chosen = tabs.find(([tab]) => tab === parameters.get('tab')) ?? tabs[0];
  if (chosen === undefined) throw new Error('You have no rights of an administrator.');
  const [tab, title] = chosen;
  const content = await (await LOADERS[tab]())(parameters, user);
  return {
    title: `${title} – Administration`,
    content: html`<nav class="pages" aria-label="Administration">${tabs.map(([name, label]) => html`<a href=${adminUrl(name)} aria-current=${name === tab ? 'page' : undefined}>${label}</a>`)}</nav>${content}`,
  };
}
