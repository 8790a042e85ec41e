import { Component } from 'preact';
import { Count, EditTable } from './edit-table.js';
import { attempt, Confirm, focusOn, html, Reading, shownName, tellSaved } from './elements.js';
import { inputId } from './inputs.js';
import { box, OperationForm, select, text } from './operation-form.js';
import { reader, rest, restOnce, send } from './rest.js';
import { searchOf } from './search-line.js';

const PATH = 'bugless/saved_searches';
/** Of which the number of bugs is shown. */
const MAX_COUNTED = 20;

const addressOf = ({ query }) => `buglist.cgi?${query}`;
const readSearches = async () => (await rest(PATH)).saved_searches;

const SearchLink = ({ search, me }) =>
  html`<a href=${addressOf(search)}><span dir="auto">${search.name}</span>${search.owner !== me && html` <span class="soft small">of ${shownName(search.owner)}</span>`}</a>`;

/** The searches that the reader sees, read when the menu is opened. */
export const SearchMenu = ({ me }) =>
  html`<${Reading} read=${readSearches}>${(searches) => {
    if (!Array.isArray(searches)) return html`<p role="status">${searches?.message ?? '…'}</p>`;
    const listed = (some) =>
      html`<ul>${some.map((search) => html`<li><${SearchLink} ...${{ search, me }} /></li>`)}</ul>`;
    const [own, shared] = [true, false].map((is) => searches.filter(({ owner }) => (owner === me) === is));
    return html`${own.length > 0 && html`<h3>Yours</h3>${listed(own)}`}${shared.length > 0 && html`<h3>Shared with you</h3>${listed(shared)}`}
    ${searches.length === 0 && html`<p class="soft">Above a list, <b>Save search</b> keeps it under a name.</p>`}<hr />
    <a class="item" href="userprefs.cgi?tab=saved-searches">Rename, share, delete …</a><a class="item" href="query.cgi">New search by a form</a>`;
  }}<//>`;

/** The groups with which the reader may share. */
async function readGroups() {
  const query = new URLSearchParams({ names: (await reader()).name, include_fields: 'groups' });
  const { users } = await restOnce(`user?${query}`).catch(() => ({ users: [] }));
  return users.flatMap(({ groups }) => groups.map(({ name }) => name));
}

/** The OperationForm of a search: its name, and with whom it is shared. `values`: as it is, `more`: further fields */
const formOf = (groups, values, more = []) => ({
  fields: [
    text('name', 'Name', { isRequired: true }),
    select('group', 'Shared with the group', { options: [...new Set(['', values?.group ?? '', ...groups])] }),
    ...more,
  ],
  values,
  problemAt: 'name',
  done: ({ name }) => `Saved as “${name.trim()}”.`,
});

/** What saves the search of a list. */
export class SaveSearch extends Component {
  state = { groups: [] };

  async componentDidMount() {
    focusOn(inputId('name'));
    this.setState({ groups: await readGroups() });
  }

  /** Saves the search; one of the same name is replaced when that was asked for. */
  send = async ({ isReplacing, ...given }) => {
    const body = { ...given, query: this.props.query };
    const { name: me } = await reader();
    const isSame = ({ name, owner }) => owner === me && name.toLowerCase() === body.name.trim().toLowerCase();
    const existing = isReplacing && (await readSearches()).find(isSame);
    return existing ? send('PUT', `${PATH}/${existing.id}`, body) : send('POST', PATH, body);
  };

  render({ onClose }, { groups }) {
    const form = formOf(groups, undefined, [box('isReplacing', 'Replace one of this name')]);
    return html`<${OperationForm} ...${{ ...form, label: 'Saved search', isNew: true, onClose, send: this.send }} focus="save-search" />`;
  }
}

const remove = ({ id, name }) =>
  attempt(send('DELETE', `${PATH}/${id}`).then(() => tellSaved(`“${name}” is deleted.`)));

/** The saved searches, to be renamed, shared and deleted. */
export async function searchesTab() {
  const [items, { name: me }] = await Promise.all([readSearches(), reader()]);
  const count = (search) => {
    const { read, line } = searchOf(new URLSearchParams(search.query));
    const isCounted = line.bug === undefined && items.indexOf(search) < MAX_COUNTED;
    return isCounted && html`<${Count} query=${read} />`;
  };
  const isOwn = ({ owner }) => owner === me;
  const edit = (search) => isOwn(search) && { path: `${PATH}/${search.id}` };
  const about = {
    ...{ name: 'search', title: 'Saved searches', one: 'saved search', many: 'saved searches', items, edit },
    none: html`None yet. <b>Save search</b> above any list keeps it here.`,
    read: async (search) => formOf(await readGroups(), search),
    keyOf: (search) => (isOwn(search) ? search.name : `${search.name} of ${search.owner}`),
    heads: ['Name', '#Bugs', 'Seen by'],
    columns: ['name', '', 'group'],
    cells: (search) => [
      html`<${SearchLink} ...${{ search, me }} />`,
      count(search),
      search.group || (isOwn(search) ? 'you alone' : ''),
    ],
    actions: (search) =>
      isOwn(search) &&
      html`<${Confirm} name="Delete …" yes="Delete it" of=${search.name} onYes=${() => remove(search)} />`,
  };
  return html`<${EditTable} ...${about} />`;
}
