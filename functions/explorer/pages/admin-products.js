import { html } from './elements.js';
import { adminUrl, Folded, OperationForm } from './operation-form.js';
import { rest, send } from './rest.js';

const text = (name, label, more = {}) => ({ name, label, kind: 'text', ...more });
const box = (name, label) => ({ name, label, kind: 'check' });
const NAME = text('name', 'Name', { isRequired: true });
const DESCRIPTION = { name: 'description', label: 'Description', kind: 'long', rows: 3, isRequired: true };
const TEMPLATE = {
  name: 'description_template',
  label: 'Template of the description of a new bug',
  kind: 'long',
};
const path = (name) => encodeURIComponent(name);

/** All products, or the one of the address. */
export async function productsTab(parameters) {
  const id = parameters.get('product');
  if (id !== null) return productPage(id);
  const { products } = await rest('product?type=accessible&include_fields=id,name,is_active');
  const fields = [
    NAME,
    text('version', 'First version', { isRequired: true }),
    text('default_milestone', 'First milestone'),
    DESCRIPTION,
  ];
  return html`<h1>Products</h1>
    <ul class="rows">${products.map((one) => html`<li><a href=${adminUrl('products', { product: one.id })}>${one.name}</a>${!one.is_active && ' (closed)'}</li>`)}</ul>
    <${Folded} ...${{ name: 'product', summary: 'New product', fields, isNew: true, submit: 'Create it' }} send=${(body) => send('POST', 'product', body)} done=${({ name: created }) => `The product ${created} is there. It takes bugs when it has a component.`} />`;
}

async function productPage(id) {
  const { products } = await rest(`product?${new URLSearchParams({ ids: id })}`);
  const [product] = products;
  if (product === undefined) throw new Error(`There is no product ${id} that you may see.`);
  const { components, versions, milestones } = product;
  const fields = [
    NAME,
    {
      name: 'default_milestone',
      label: 'Default milestone',
      kind: 'select',
      options: milestones.map((one) => one.name),
    },
    DESCRIPTION,
    TEMPLATE,
    box('has_unconfirmed', 'Bugs may be UNCONFIRMED'),
    box('is_open', 'Bugs may be filed'),
  ];
  const values = { description_template: '', ...product, is_open: product.is_active };
  const change = (body) => send('PUT', `product/${product.id}`, body);
  const component = [
    NAME,
    { name: 'default_assignee', label: 'Default assignee', kind: 'person', isRequired: true },
    { name: 'default_qa_contact', label: 'Default QA contact', kind: 'person' },
    { name: 'default_cc', label: 'Default CC', kind: 'people' },
    DESCRIPTION,
  ];
  const addComponent = ({ default_cc, ...body }) =>
    send('POST', 'component', {
      ...body,
      product: product.name,
      ...(default_cc && { default_cc: default_cc.split(',').map((one) => one.trim()) }),
    });
  const listed = (title, all, command) => html`<h2>${title}</h2>
    <ul class="own">${all.map((one) => html`<li>${one.name}${!one.is_active && ' (inactive)'}</li>`)}</ul>
    <p class="none">Operators change these: <code>npm run admin -- ${command}</code></p>`;
  return html`<h1>${product.name}</h1>
    <${OperationForm} key=${product.name} ...${{ name: 'product', label: 'The product', fields, values, submit: 'Save', send: change, done: 'The product is saved.' }} />
    <h2>Components</h2>
    <table><thead><tr><th>Name</th><th>Default assignee</th><th class="wide">Description</th></tr></thead>
      <tbody>${components.map((one) => html`<tr><td>${one.name}${!one.is_active && ' (inactive)'}</td><td>${one.default_assigned_to}</td><td class="wide">${one.description}</td></tr>`)}</tbody></table>
    <${Folded} ...${{ name: 'component', summary: 'New component', fields: component, isNew: true, submit: 'Add it', send: addComponent, done: 'The component is added.' }} />
    ${listed('Versions', versions, 'version')}
    ${listed('Milestones', milestones, 'milestone')}
    ${await groupControls(product)}
    ${await flagTypes(product)}`;
}

const CONTROLS = ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'];
/** What a control says of bugs, after `Bugs that members file`. */
const MEANINGS = {
  NA: 'are never in it',
  SHOWN: 'are in it if who files them says so',
  DEFAULT: 'are in it unless who files them leaves it out',
  MANDATORY: 'are always in it',
};
/** What a switch says. */
const SWITCHES = {
  entry: 'Only members file bugs',
  canedit: 'Only members change bugs',
  editbugs: 'Members change every bug that they see',
  canconfirm: 'Members confirm bugs',
  editcomponents: 'Members edit the product',
};

/** What a group means for a product, in sentences. */
const meaningOf = ({ membercontrol, othercontrol, ...control }) =>
  [
    membercontrol === 'MANDATORY' && 'Only members see the product. All bugs are in the group',
    !['NA', 'MANDATORY'].includes(membercontrol) &&
      `Bugs that members file ${MEANINGS[membercontrol]}, those of others ${MEANINGS[othercontrol]}`,
    ...Object.entries(SWITCHES).map(([name, sentence]) => control[name] && sentence),
  ]
    .filter(Boolean)
    .map((sentence) => `${sentence}.`)
    .join(' ');

/** What groups mean for a product, as a table, with a form for each. */
async function groupControls({ id }) {
  const address = `bugless/product/${id}/group_controls`;
  const { group_controls } = await rest(address);
  const control = (name, label) => ({ name, label, kind: 'select', options: CONTROLS });
  const fields = [
    control('membercontrol', 'Bugs of members'),
    control('othercontrol', 'Bugs of others'),
    ...Object.entries(SWITCHES).map(([name, label]) => box(name, label)),
  ];
  const change = (group) => (body) => send('PUT', address, { group_controls: [{ group, ...body }] });
  const form = ({ group, ...values }) =>
    html`<${Folded} key=${group} ...${{ name: `control-${group}`, summary: group, fields, values, submit: 'Save', send: change(group), done: 'The group is saved, and bugs follow.' }} />`;
  const add = ({ group, ...body }) => change(group)(body);
  const initial = { membercontrol: 'SHOWN', othercontrol: 'NA' };
  return html`<h2>Groups</h2>
    ${group_controls.length === 0 && html`<p>No group restricts this product, or has rights for it.</p>`}
    ${
      group_controls.length > 0 &&
      html`<table><thead><tr><th>Group</th><th class="wide">What it means</th></tr></thead>
      <tbody>${group_controls.map((one) => html`<tr><td>${one.group}</td><td class="wide">${meaningOf(one)}</td></tr>`)}</tbody></table>`
    }
    <p class="none">Bugs of members, and of others: ${CONTROLS.map((name) => `${name}, they ${MEANINGS[name]}`).join('; ')}. Bugs follow a change: all get a group that becomes MANDATORY, and lose one that becomes NA.</p>
    ${group_controls.map(form)}
    <${Folded} ...${{ name: 'control', summary: 'Another group', fields: [text('group', 'Group', { isRequired: true }), ...fields], values: initial, isNew: true, submit: 'Add it', send: add, done: 'The group is added, and bugs follow.' }} />`;
}

/** The flag types of a product. What the list of them does not tell, components do, as far as one has the type. */
async function flagTypes({ name, components }) {
  const types = await rest(`flag_type/${path(name)}`);
  const known = new Map(
    components
      .flatMap(({ flag_types }) => [...flag_types.bug, ...flag_types.attachment])
      .map((one) => [one.id, one]),
  );
  const shared = [
    text('cc_list', 'Mailed about each'),
    text('sortkey', 'Sort key'),
    DESCRIPTION,
    box('is_active', 'Can be set'),
    box('is_requestable', 'Can be requested'),
    box('is_specifically_requestable', 'A request can name a person'),
    box('is_multiplicable', 'Several at once'),
  ];
  const target = { name: 'target_type', label: 'Set on', kind: 'select', options: ['bug', 'attachment'] };
  const groups = [text('grant_group', 'Group that grants'), text('request_group', 'Group that requests')];
  const initial = {
    target_type: 'bug',
    is_active: true,
    is_requestable: true,
    is_specifically_requestable: true,
    is_multiplicable: true,
  };
  const valuesOf = (type) => {
    const one = {
      cc_list: '',
      sort_key: '',
      is_requestable: type.values.includes('?'),
      ...type,
      ...known.get(type.id),
    };
    return { ...one, sortkey: String(one.sort_key), is_specifically_requestable: one.is_requesteeble };
  };
  const form = (type) =>
    html`<${Folded} key=${type.id} ...${{ name: `flag-${type.id}`, summary: `${type.name} (${type.type}${type.is_active ? '' : ', inactive'})`, fields: [NAME, ...shared], values: valuesOf(type), submit: 'Save' }} send=${(body) => send('PUT', `flag_type/${type.id}`, body)} done="The flag type is saved." />`;
  // What is not chosen is sent, too: it is on by default.
  const create = (body) =>
    send('POST', 'flag_type', {
      ...Object.fromEntries(shared.filter(({ kind }) => kind === 'check').map((one) => [one.name, false])),
      ...body,
      inclusions: [name],
    });
  return html`<h2>Flag types</h2>
    ${[...types.bug, ...types.attachment].map(form)}
    <${Folded} ...${{ name: 'flag', summary: 'New flag type', fields: [NAME, target, ...groups, ...shared], values: initial, isNew: true, submit: 'Add it', send: create, done: 'The flag type is added.' }} />`;
}
