import { adminUrl, ByCommand, Count, Crumbs, EditTable } from './edit-table.js';
import { counted, html, listUrl, Table } from './elements.js';
import { box, DESCRIPTION, long, NAME, OperationForm, text } from './operation-form.js';
import { rest, restOnce, send } from './rest.js';

const PersonLink = ({ user }) =>
  html`<a href=${adminUrl('people', { user: user.name })} dir="auto">${user.real_name || user.name}</a>`;

/** Groups that are shown of a person; the others are counted. */
const MAX_GROUPS = 3;
const Groups = ({ names }) =>
  html`<span class="chips">${names.slice(0, MAX_GROUPS).map((name) => html`<span class="chip tag">${name}</span>`)}${names.length > MAX_GROUPS && html`<span class="soft small">and ${names.length - MAX_GROUPS} more</span>`}</span>`;

/** People that are found at once. */
const MOST = 100;

/** People: those who match, or the one of the address. */
export async function peopleTab(parameters) {
  const login = parameters.get('user');
  if (login !== null) return personPage(login);
  const match = parameters.get('match') ?? '';
  const query = new URLSearchParams({ match, include_disabled: 1, limit: MOST });
  const { users } = match === '' ? { users: [] } : await rest(`user?${query}`);
  const fields = [text('email', 'Email address, the login', { isRequired: true }), text('full_name', 'Name')];
  const create = { fields, path: 'user', done: ({ email }) => `The account ${email} is there.` };
  const cells = (user) => [
    html`<${PersonLink} user=${user} />`,
    user.name,
    html`<${Groups} names=${user.groups.map(({ name }) => name)} />`,
    user.can_login ? 'may sign in' : 'disabled',
  ];
  const find = html`<form class="line" role="search" action="admin"><input type="hidden" name="tab" value="people" /><label class="sr" for="match">Part of a login or name</label><input id="match" name="match" type="search" placeholder="Part of a login or name" defaultValue=${match} /><button type="submit">Find</button></form>`;
  return html`<${EditTable} ...${{ name: 'user', title: 'People', one: 'account', items: users, heads: ['Name', 'Login', 'Groups', 'Account'], cells, create, find }} none=${match === '' ? 'Find somebody by a part of the login or name.' : 'There is nobody like that.'} note=${users.length >= MOST && `These are the first ${MOST}: type more of the name.`} />
    <${ByCommand} what="An account gets an API key by the command" command="key create <login>" />`;
}

/** Gives what somebody does in components to another. */
async function handOver(login, duties, to) {
  const byPlace = Map.groupBy(duties, ({ product, component }) =>
    [product, component].map(encodeURIComponent).join('/'),
  );
  for (const [place, all] of byPlace) {
    const body = Object.fromEntries(all.map(({ as }) => [as.toLowerCase().replaceAll(' ', '_'), to]));
    if (body.default_cc) {
      // Only the answer to a change tells who is on CC.
      const { default_cc } = await send('PUT', `component/${place}`, {});
      body.default_cc = default_cc.map((one) => (one.toLowerCase() === login.toLowerCase() ? to : one));
    }
    await send('PUT', `component/${place}`, body);
  }
}

async function personPage(login) {
  const fields_ = 'id,name,real_name,email,can_login,groups,email_enabled,login_denied_text,duties';
  const open = (role) => ({ [role]: login, resolution: '---' });
  const [{ users }, { groups }] = await Promise.all([
    rest(`user?${new URLSearchParams({ names: login, include_fields: fields_ })}`),
    restOnce('group'),
  ]);
  const [user] = users;
  const own = user.groups.map(({ name }) => name);
  const fields = [
    text('full_name', 'Name'),
    long('login_denied_text', 'Why the account is disabled; empty: it is not', { rows: 2 }),
    { name: 'groups', label: 'Groups', kind: 'checks', options: groups.map(({ name }) => name) },
    box('email_enabled', 'Mails about bugs'),
  ];
  const values = { ...user, full_name: user.real_name, groups: own };
  const change = ({ groups: chosen, ...body }) => {
    const lists = chosen && {
      add: chosen.filter((one) => !own.includes(one)),
      remove: own.filter((one) => !chosen.includes(one)),
    };
    return send('PUT', `user/${user.id}`, { ...body, ...(lists && { groups: lists }) });
  };
  const duties = user.duties ?? [];
  const ofComponents = duties.filter(({ component }) => component);
  const place = (duty) =>
    `${duty.product ?? ''} ${duty.component ? `/ ${duty.component}` : ''}${duty.flag_type ?? ''}`;
  return html`<${Crumbs} tab="people" title="People" />
    <div class="head"><h1 dir="auto">${user.real_name || user.name}</h1><span class="soft">${user.name}</span><span class="push line">Open bugs: <a href=${listUrl(open('assigned_to'))}><${Count} query=${new URLSearchParams(open('assigned_to'))} /> assigned</a><a href=${listUrl(open('reporter'))}>reported</a></span></div>
    <div class="two"><section><h2>The account</h2><${OperationForm} ...${{ name: 'user', label: 'The account', fields, values, submit: 'Save', send: change, done: 'The account is saved.', effect: 'Who is disabled cannot sign in, and gets no mails; bugs and duties stay theirs.' }} /></section>
    <section><div class="head"><h2>Duties</h2><span class="soft num">${duties.length}</span></div>
    ${duties.length === 0 ? html`<p class="soft">No component or flag type names this account.</p>` : html`<${Table} caption="Duties" heads=${['As', 'Of']} rows=${duties.map((duty) => html`<tr><td>${duty.as.replaceAll('_', ' ')}</td><td class="soft" dir="auto">${place(duty)}</td></tr>`)} />`}
    ${ofComponents.length > 0 && html`<${OperationForm} ...${{ name: 'duties', label: 'Hand over', submit: 'Hand over', fields: [{ name: 'to', label: 'Give what stands at components to', kind: 'person' }], problemAt: 'to', isMinor: true, effect: 'New bugs go to them; bugs that are there stay with whom they are, and are changed together in the list.' }} send=${({ to = '' }) => handOver(user.name, ofComponents, to)} done=${({ to }) => `Handed over to ${to}.`} />`}
    <${ByCommand} what="Flag types, too, are handed over by the command" command=${`user change ${user.name} --hand-over <login>`} /></section></div>`;
}

/** All groups, or the one of the address with its members. */
export async function groupsTab(parameters) {
  const name = parameters.get('group');
  if (name !== null) return groupPage(name);
  const { groups } = await rest('group');
  const create = {
    ...{ fields: [NAME, DESCRIPTION], path: 'group', also: { is_active: true } },
    done: ({ name: created }) => `The group ${created} is there.`,
  };
  const cells = (one) => [
    html`<a href=${adminUrl('groups', { group: one.name })} dir="auto">${one.name}</a>`,
    one.description,
    one.is_bug_group === false ? '–' : 'bugs can be in it',
  ];
  return html`<${EditTable} ...${{ name: 'group', title: 'Groups', one: 'group', items: groups, heads: ['Group', 'What it gives', 'For bugs'], cells, create }} note="What a group means for a product stands at the product." />`;
}

async function groupPage(name) {
  const { groups } = await rest(`group?${new URLSearchParams({ names: name, membership: 1 })}`);
  const [group] = groups;
  const fields = [
    DESCRIPTION,
    text('user_regexp', 'Also those whose login matches the expression'),
    box('is_active', 'New bugs can be in it'),
  ];
  const { membership = [] } = group;
  const cells = (user) => [html`<${PersonLink} user=${user} />`, user.name];
  return html`<${Crumbs} tab="groups" title="Groups" />
    <div class="head"><h1 dir="auto">${group.name}</h1><span class="soft num">${counted(membership.length, 'member')}</span></div>
    <div class="two"><section><h2>The group</h2><${OperationForm} ...${{ name: 'group', label: 'The group', fields, values: group, submit: 'Save', done: 'The group is saved.', path: `group/${group.id}`, effect: 'The name stands in bugs, so it stays. Bugs that are in the group stay in it.' }} /></section>
    <section><h2>Members</h2><${EditTable} ...${{ name: 'member', title: 'Members', one: 'member', items: membership, heads: ['Name', 'Login'], cells }} /><p class="soft small">Members are added and taken away at the person.</p></section></div>`;
}
