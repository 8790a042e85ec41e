import { adminUrl, ByCommand, Crumbs, EditTable } from './edit-table.js';
import { html, names, Person, Tabs, tellSaved, withoutTags } from './elements.js';
import { tableOf } from './labels.js';
import { box, DESCRIPTION, long, NAME, OperationForm, select, text } from './operation-form.js';
import { rest, send } from './rest.js';

const TEMPLATE = long('description_template', 'Template of the description of a new bug');
const SORT = text('sort_key', 'Sort key');
const path = (name) => encodeURIComponent(name);

/** All products, or the one of the address. */
export async function productsTab(parameters) {
  const id = parameters.get('product');
  if (id !== null) return productPage(id, parameters.get('part'));
  const { products } = await rest('product?type=accessible&include_fields=id,name,is_active,description');
  const fields = [
    NAME,
    text('version', 'First version', { isRequired: true }),
    text('default_milestone', 'First milestone'),
    DESCRIPTION,
  ];
  const done = ({ name }) => `The product ${name} is there. It takes bugs when it has a component.`;
  const create = { fields, path: 'product', done };
  const link = ({ id: product, name }) =>
    html`<a href=${adminUrl('products', { product })} dir="auto">${name}</a>`;
  const cells = (one) => [link(one), withoutTags(one.description), one.is_active ? 'takes bugs' : 'closed'];
  return html`<${EditTable} ...${{ name: 'product', title: 'Products', one: 'product', items: products, heads: ['Product', 'Description', 'New bugs'], cells, create }} />`;
}

/** The parts of a product, each with a tab. */
const PARTS = { components, releases, flags: flagTypes, groups: groupControls, about };
const TITLES = tableOf(
  'components Components, releases Versions and milestones, flags Flags, groups Groups, about Description',
);

async function productPage(id, chosen) {
  const { products } = await rest(`product?${new URLSearchParams({ ids: id })}`);
  const [product] = products;
  if (product === undefined) throw new Error(`There is no product ${id} that you may see.`);
  const part = Object.hasOwn(PARTS, chosen) ? chosen : 'components';
  const releasesCount = product.versions.length + product.milestones.length;
  const counts = { components: product.components.length, releases: releasesCount };
  const tabs = Object.entries(TITLES).map(([name, title]) => [
    `${title} ${counts[name] ?? ''}`,
    ...[adminUrl('products', { product: id, part: name }), name === part],
  ]);
  return html`<${Crumbs} tab="products" title="Products" />
    <div class="head"><h1 dir="auto">${product.name}</h1><span class="chip">${product.is_active ? 'takes bugs' : 'closed for new bugs'}</span><a class="push small" href=${`buglist.cgi?${new URLSearchParams({ product: product.name, bug_status: '__open__' })}`}>Open bugs</a></div>
    <${Tabs} label=${product.name} tabs=${tabs} />${await PARTS[part](product)}`;
}

/** What holds for the product as a whole. */
function about(product) {
  const fields = [
    NAME,
    select('default_milestone', 'Default milestone', { options: product.milestones.map((one) => one.name) }),
    DESCRIPTION,
    TEMPLATE,
    box('has_unconfirmed', 'Bugs may be UNCONFIRMED'),
    box('is_open', 'Bugs may be filed'),
  ];
  const values = { description_template: '', ...product, is_open: product.is_active };
  const effect =
    'Bugs follow a new name. Without UNCONFIRMED, bugs that are so become CONFIRMED. A closed product keeps its bugs, which can be changed.';
  return html`<${OperationForm} key=${product.name} ...${{ name: 'product', label: 'The product', fields, values, effect, submit: 'Save', done: 'The product is saved.', path: `product/${product.id}` }} />
    <${ByCommand} what="Products are never removed, only closed. A catalogue changes many at once, by the command" command="apply <FILE>" />`;
}

/** The components, which are edited in their rows. */
function components({ name: product, components: items }) {
  const fields = [
    NAME,
    { name: 'default_assignee', label: 'Default assignee', kind: 'person', isRequired: true },
    { name: 'default_qa_contact', label: 'Default QA contact', kind: 'person' },
    { name: 'default_cc', label: 'Default CC', kind: 'people' },
    DESCRIPTION,
  ];
  const withPeople = ({ default_cc, ...body }) => ({
    ...body,
    ...(default_cc !== undefined && { default_cc: names(default_cc) }),
  });
  const edit = (one) => ({
    fields: [...fields.slice(0, -1), SORT, DESCRIPTION, box('is_active', 'Takes new bugs')],
    values: { ...one, default_assignee: one.default_assigned_to, sort_key: String(one.sort_key) },
    effect: 'Renaming keeps its bugs. New bugs go to these people; existing bugs keep theirs.',
    send: (body) => send('PUT', `component/${path(product)}/${path(one.name)}`, withPeople(body)),
    done: ({ name }) => `The component ${name} is saved.`,
  });
  // Only the answer to a change tells who is on CC.
  const read = async (one) => {
    const { default_cc } = await send('PUT', `component/${path(product)}/${path(one.name)}`, {});
    return { values: { ...edit(one).values, default_cc: default_cc.join(', ') } };
  };
  const create = {
    fields,
    send: (body) => send('POST', 'component', { ...withPeople(body), product }),
    done: 'The component is added.',
  };
  const peopleOf = (one) => [one.default_assigned_to, one.default_qa_contact];
  const person = (login, names) => (login ? html`<${Person} ...${{ login, names }} hasFace />` : '–');
  const cells = (one, names) => [
    one.name,
    one.description,
    ...peopleOf(one).map((login) => person(login, names)),
  ];
  return html`<${EditTable} ...${{ name: 'component', title: 'Components', one: 'component', items, heads: ['Component', 'Description', 'Default assignee', 'Default QA contact'], columns: ['name sort_key', 'description', 'default_assignee default_cc', 'default_qa_contact is_active'], peopleOf, cells, isOff: ({ is_active }) => !is_active, edit, read, create }} note="A component with bugs cannot be removed, only closed for new ones." />`;
}

/** Versions and milestones. */
function releases({ name: product, default_milestone, versions, milestones }) {
  const table = (kind, title, items) => {
    const edit = (one) => ({
      fields: [SORT, box('is_active', 'Can be chosen')],
      values: { ...one, sort_key: String(one.sort_key) },
      effect: 'Bugs keep one that cannot be chosen any more. The name stands in bugs, so it stays.',
      path: `bugless/${kind}/${path(product)}/${path(one.name)}`,
      done: `The ${kind} ${one.name} is saved.`,
    });
    const about = { path: `bugless/${kind}`, also: { product }, done: `The ${kind} is added.` };
    const create = { fields: [NAME, SORT], ...about };
    /** Orders all anew: many have the same sort key until one is moved. */
    const move = async (one, other, focus) => {
      const order = items.filter((item) => item !== one);
      order.splice(items.indexOf(other), 0, one);
      for (const [index, item] of order.entries())
        if (item.sort_key !== 10 * index)
          await send('PUT', `bugless/${kind}/${path(product)}/${path(item.name)}`, { sort_key: 10 * index });
      tellSaved(`The ${kind} ${one.name} is moved.`, focus);
    };
    const state = ({ name, is_active }) =>
      name === default_milestone && kind === 'milestone' ? 'at first' : is_active ? 'yes' : 'no';
    return html`<${EditTable} ...${{ name: kind, title, one: kind, items, heads: ['Name', '#Sort key', 'Chosen'], columns: ['', 'sort_key', 'is_active'], cells: (one) => [one.name, one.sort_key, state(one)], isOff: ({ is_active }) => !is_active, edit, create, move }} />`;
  };
  return html`<div class="two">${table('version', 'Versions', versions)}${table('milestone', 'Milestones', milestones)}</div>
    <p class="soft small">To rename one, create another, change the bugs together in a list, and have the former one not chosen any more.</p>`;
}

/** What a control says of bugs, after `Bugs that members file`. */
const MEANINGS = tableOf(
  `NA are never in it, SHOWN are in it if who files them says so, DEFAULT are in it unless who files them leaves it out,
  MANDATORY are always in it`,
);
const CONTROLS = Object.keys(MEANINGS);
/** What a switch says. */
const SWITCHES = tableOf(
  `entry Only members file bugs, canedit Only members change bugs, editbugs Members change every bug that they see,
  canconfirm Members confirm bugs, editcomponents Members edit the product`,
);

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

/** What groups mean for a product. */
async function groupControls({ id }) {
  const address = `bugless/product/${id}/group_controls`;
  const { group_controls: items } = await rest(address);
  const control = (name, label) => select(name, label, { options: CONTROLS });
  const fields = [
    control('membercontrol', 'Bugs of members'),
    control('othercontrol', 'Bugs of others'),
    ...Object.entries(SWITCHES).map(([name, label]) => box(name, label)),
  ];
  const change = ({ group, ...body }) => send('PUT', address, { group_controls: [{ group, ...body }] });
  const effect = 'Bugs follow: all get a group that becomes MANDATORY, and lose one that becomes NA.';
  const edit = ({ group, ...values }) => ({
    ...{ fields, values, effect, done: 'The group is saved, and bugs follow.' },
    send: (body) => change({ group, ...body }),
  });
  const create = {
    fields: [text('group', 'Group', { isRequired: true }), ...fields],
    values: { membercontrol: 'SHOWN', othercontrol: 'NA' },
    ...{ effect, send: change, done: 'The group is added, and bugs follow.' },
  };
  return html`<${EditTable} ...${{ name: 'control', title: 'Groups', one: 'group', items, keyOf: ({ group }) => group, heads: ['Group', 'What it means'], columns: ['', fields.map((one) => one.name).join(' ')], cells: (one) => [one.group, meaningOf(one)], edit, create }}
    note=${`Bugs of members, and of others: ${CONTROLS.map((name) => `${name}, they ${MEANINGS[name]}`).join('; ')}.`} />`;
}

/** The flag types of a product. What the list of them does not tell, components do, as far as one has the type. */
async function flagTypes({ name, components: parts }) {
  const types = await rest(`flag_type/${path(name)}`);
  const all = parts.flatMap(({ flag_types }) => [...flag_types.bug, ...flag_types.attachment]);
  const known = new Map(all.map((one) => [one.id, one]));
  const shared = [
    text('cc_list', 'Mailed about each'),
    text('sortkey', 'Sort key'),
    DESCRIPTION,
    box('is_active', 'Can be set'),
    box('is_requestable', 'Can be requested'),
    box('is_specifically_requestable', 'A request can name a person'),
    box('is_multiplicable', 'Several at once'),
  ];
  const target = select('target_type', 'Set on', { options: ['bug', 'attachment'] });
  const groups = [text('grant_group', 'Group that grants'), text('request_group', 'Group that requests')];
  const valuesOf = (type) => {
    const unknown = { cc_list: '', sort_key: '', is_requestable: type.values.includes('?') };
    const one = { ...unknown, ...type, ...known.get(type.id) };
    return { ...one, sortkey: String(one.sort_key), is_specifically_requestable: one.is_requesteeble };
  };
  const switches = (is) =>
    Object.fromEntries(shared.filter(({ kind }) => kind === 'check').map((one) => [one.name, is]));
  const create = {
    fields: [NAME, target, ...groups, ...shared],
    values: { target_type: 'bug', ...switches(true) },
    // What is not chosen is sent, too: it is on by default.
    ...{
      path: 'flag_type',
      also: { ...switches(false), inclusions: [name] },
      done: 'The flag type is added.',
    },
  };
  const edit = (type) => ({
    fields: [NAME, ...shared],
    values: valuesOf(type),
    effect:
      'Flags have the present name of their type. Those that it does not allow any more are removed with the next change of their bug.',
    ...{ path: `flag_type/${type.id}`, done: 'The flag type is saved.' },
  });
  const cells = (type) => [
    type.name,
    type.description,
    type.type,
    type.is_requesteeble ? 'a person' : type.values.includes('?') ? 'anybody' : 'no',
  ];
  return html`<${EditTable} ...${{ name: 'flag', title: 'Flag types', one: 'flag type', items: [...types.bug, ...types.attachment], keyOf: (type) => `${type.name} (${type.type})`, heads: ['Name', 'Description', 'Set on', 'Asks'], columns: ['name sortkey', 'description cc_list', 'is_active is_multiplicable', 'is_requestable is_specifically_requestable'], cells, isOff: ({ is_active }) => !is_active, edit, create }} />`;
}
