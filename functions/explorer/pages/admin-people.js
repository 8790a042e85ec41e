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

async function personPage(login) {
  const [{ users }, { groups }] = await Promise.all([
    rest(`user?${new URLSearchParams({ names: login })}`),
    rest('group'),
  ]);
  const [user] = users;
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
  const open = (role) => listUrl({ [role]: user.name, resolution: '---' });
  return html`<h1>${user.real_name || user.name}</h1>
    <p>${user.name}. Open bugs <a href=${open('assigned_to')}>assigned</a>, <a href=${open('reporter')}>reported</a>. What else is theirs operators list and hand over: <code>npm run admin -- user duties ${user.name}</code></p>
    <${OperationForm} ...${{ name: 'user', label: 'The account', fields, values, submit: 'Save', send: change, done: 'The account is saved.' }} />`;
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
  return html`<h1>${group.name}</h1>
    <${OperationForm} ...${{ name: 'group', label: 'The group', fields: [DESCRIPTION], values: group, submit: 'Save', done: 'The group is saved.' }} send=${(body) => send('PUT', `group/${group.id}`, body)} />
    <h2>Members</h2>
    <ul class="rows">${group.membership.map((user) => html`<li><${PersonLink} user=${user} /></li>`)}</ul>`;
}
