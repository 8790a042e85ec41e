import { html, listUrl } from './elements.js';
import { adminUrl, Folded, OperationForm } from './operation-form.js';
import { rest, send } from './rest.js';

const text = (name, label, more = {}) => ({ name, label, kind: 'text', ...more });
const DESCRIPTION = { name: 'description', label: 'Description', kind: 'long', rows: 3, isRequired: true };

const PersonLink = ({ user }) =>
  html`<a href=${adminUrl('people', { user: user.name })}>${user.real_name || user.name}</a> ${user.real_name && user.name}${!user.can_login && ' (disabled)'}`;

/** People: those who match, or the one of the address. */
export async function peopleTab(parameters) {
  const login = parameters.get('user');
  if (login !== null) return personPage(login);
  const match = parameters.get('match') ?? '';
  const query = new URLSearchParams({ match, include_disabled: 1, limit: 100 });
  const { users } = match === '' ? { users: [] } : await rest(`user?${query}`);
  const fields = [text('email', 'Email address, the login', { isRequired: true }), text('full_name', 'Name')];
  return html`<h1>People</h1>
    <form class="line" action="admin"><input type="hidden" name="tab" value="people" />
      <label for="match">Part of a login or name</label><input id="match" name="match" defaultValue=${match} /><button type="submit">Find</button></form>
    ${match !== '' && users.length === 0 && html`<p>There is nobody like that. Parts have three letters at least.</p>`}
    <ul class="rows">${users.map((user) => html`<li><${PersonLink} user=${user} /></li>`)}</ul>
    <${Folded} ...${{ name: 'user', summary: 'New account', fields, isNew: true, submit: 'Create it' }} send=${(body) => send('POST', 'user', body)} done=${({ email }) => `The account ${email} is there.`} />`;
}

/** What a person does in components: who is disabled is to be replaced there. */
async function dutiesOf(login) {
  const roles = { default_assigned_to: 'Default assignee', default_qa_contact: 'Default QA contact' };
  const fields = ['name', 'components.name', ...Object.keys(roles).map((role) => `components.${role}`)];
  const { products } = await rest(`product?type=accessible&include_fields=${fields}`);
  return products.flatMap((product) =>
    product.components.flatMap((component) =>
      Object.keys(roles)
        .filter((role) => component[role] === login)
        .map((role) => `${roles[role]} of ${product.name} / ${component.name}`),
    ),
  );
}

async function personPage(login) {
  const [{ users }, { groups }] = await Promise.all([
    rest(`user?${new URLSearchParams({ names: login })}`),
    rest('group'),
  ]);
  const [user] = users;
  const open = (role) => ({ [role]: user.name, resolution: '---' });
  const countOf = async (role) =>
    (await rest(`bug?${new URLSearchParams(open(role))}&count_only=1`)).bug_count;
  const [assigned, reported, duties] = await Promise.all([
    countOf('assigned_to'),
    countOf('reporter'),
    dutiesOf(user.name),
  ]);
  const own = user.groups.map(({ name }) => name);
  const fields = [
    text('full_name', 'Name'),
    {
      name: 'login_denied_text',
      label: 'Why the account is disabled; empty: it is not',
      kind: 'long',
      rows: 2,
    },
    { name: 'groups', label: 'Groups', kind: 'checks', options: groups.map(({ name }) => name) },
    { name: 'email_enabled', label: 'Mails about bugs', kind: 'check' },
  ];
  const values = { ...user, full_name: user.real_name, groups: own };
  const change = ({ groups: chosen, ...body }) => {
    const lists = chosen && {
      add: chosen.filter((one) => !own.includes(one)),
      remove: own.filter((one) => !chosen.includes(one)),
    };
    return send('PUT', `user/${user.id}`, { ...body, ...(lists && { groups: lists }) });
  };
  return html`<h1>${user.real_name || user.name}</h1>
    <p>${user.name}. Open bugs: <a href=${listUrl(open('assigned_to'))}>${assigned} assigned</a>, <a href=${listUrl(open('reporter'))}>${reported} reported</a>.</p>
    <${OperationForm} ...${{ name: 'user', label: 'The account', fields, values, submit: 'Save', send: change, done: 'The account is saved.' }} />
    ${
      duties.length > 0 &&
      html`<h2>What is theirs</h2><ul class="rows">${duties.map((one) => html`<li>${one}</li>`)}</ul>
      <p class="none">Operators hand it over: <code>npm run admin -- user change ${user.name} --disable … --hand-over …</code></p>`
    }`;
}

/** All groups, or the one of the address with its members. */
export async function groupsTab(parameters) {
  const name = parameters.get('group');
  if (name !== null) return groupPage(name);
  const { groups } = await rest('group');
  const fields = [text('name', 'Name', { isRequired: true }), DESCRIPTION];
  return html`<h1>Groups</h1>
    <ul class="rows">${groups.map((one) => html`<li><a href=${adminUrl('groups', { group: one.name })}>${one.name}</a> ${one.description}</li>`)}</ul>
    <${Folded} ...${{ name: 'group', summary: 'New group', fields, isNew: true, submit: 'Create it' }} send=${(body) => send('POST', 'group', { is_active: true, ...body })} done=${({ name: created }) => `The group ${created} is there, and you are a member.`} />`;
}

async function groupPage(name) {
  const { groups } = await rest(`group?${new URLSearchParams({ names: name, membership: 1 })}`);
  const [group] = groups;
  const fields = [
    DESCRIPTION,
    text('user_regexp', 'Also those whose login matches the expression'),
    { name: 'is_active', label: 'New bugs can be in it', kind: 'check' },
  ];
  return html`<h1>${group.name}</h1>
    <${OperationForm} ...${{ name: 'group', label: 'The group', fields, values: group, submit: 'Save', done: 'The group is saved.' }} send=${(body) => send('PUT', `group/${group.id}`, body)} />
    <h2>Members</h2>
    <ul class="rows">${group.membership.map((user) => html`<li><${PersonLink} user=${user} /></li>`)}</ul>`;
}
