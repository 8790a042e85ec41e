import { Component } from 'preact';
import { Confirm, html, shownName, Table, tellSaved } from './elements.js';
import { inputId } from './inputs.js';
import { box, OperationForm, text } from './operation-form.js';
import { reader, rest, restOnce, send } from './rest.js';
import { searchOf } from './search-line.js';

const PATH = 'bugless/saved_searches';
/** Of which the start page shows the number of bugs. */
const MAX_COUNTED = 20;

const addressOf = ({ query }) => `buglist.cgi?${query}`;
const readSearches = async () => (await rest(PATH)).saved_searches;

const SearchLink = ({ search, me }) =>
  html`<a href=${addressOf(search)}><span dir="auto">${search.name}</span>${search.owner !== me && html` <span class="soft small">of ${shownName(search.owner)}</span>`}</a>`;

/** The searches that the reader sees, read when the menu is opened. */
export async function searchMenu(me) {
  const searches = await readSearches();
  const listed = (some) =>
    html`<ul>${some.map((search) => html`<li><${SearchLink} ...${{ search, me }} /></li>`)}</ul>`;
  const [own, shared] = [
    searches.filter(({ owner }) => owner === me),
    searches.filter(({ owner }) => owner !== me),
  ];
  return html`${own.length > 0 && html`<h3>Yours</h3>${listed(own)}`}${shared.length > 0 && html`<h3>Shared with you</h3>${listed(shared)}`}
    ${searches.length === 0 && html`<p class="soft">Above a list, <b>Save search</b> keeps it under a name.</p>`}<hr />
    <a class="item" href="userprefs.cgi?tab=saved-searches">Rename, share, delete …</a><a class="item" href="query.cgi">New search by a form</a>`;
}

/** A name for a search, and with whom it is shared. `search`: one that is changed, `query`: that of a new one */
class SearchForm extends Component {
  state = { groups: [] };

  async componentDidMount() {
    document.getElementById(inputId('name'))?.focus();
    const query = new URLSearchParams({ names: (await reader()).name, include_fields: 'groups' });
    const { users } = await restOnce(`user?${query}`).catch(() => ({ users: [] }));
    this.setState({ groups: users.flatMap(({ groups }) => groups.map(({ name }) => name)) });
  }

  /** Saves the search; one of the same name is replaced when that was asked for. */
  send = async ({ isReplacing, ...body }) => {
    const { search, query } = this.props;
    if (search !== undefined) return send('PUT', `${PATH}/${search.id}`, body);
    const { name: me } = await reader();
    const isSame = ({ name, owner }) => owner === me && name.toLowerCase() === body.name.trim().toLowerCase();
    const existing = isReplacing && (await readSearches()).find(isSame);
    return existing
      ? send('PUT', `${PATH}/${existing.id}`, { ...body, query })
      : send('POST', PATH, { ...body, query });
  };

  render({ search, onClose }, { groups }) {
    const options = [...new Set(['', ...(search?.group ? [search.group] : []), ...groups])];
    const fields = [
      text('name', 'Name', { isRequired: true }),
      { name: 'group', label: 'Shared with the group', kind: 'select', options },
      ...(search === undefined ? [box('isReplacing', 'Replace one of this name')] : []),
    ];
    const about = {
      label: 'Saved search',
      fields,
      values: search,
      isNew: search === undefined,
      problemAt: 'name',
      onClose,
    };
    return html`<${OperationForm} ...${about} send=${this.send} done=${({ name }) => `Saved as “${name.trim()}”.`} focus="save-search" />`;
  }
}

/** What saves the search of a list. */
export const SaveSearch = ({ query, onClose }) => html`<${SearchForm} ...${{ query, onClose }} />`;

/** The saved searches, to be renamed, shared and deleted. */
export async function searchesTab() {
  const [searches, user] = await Promise.all([readSearches(), reader()]);
  const countOf = async (search) => {
    const { read, line } = searchOf(new URLSearchParams(search.query));
    if (line.bug !== undefined) return undefined;
    return (await rest(`bug?${read}&count_only=1`).catch(() => ({}))).bug_count;
  };
  const counts = await Promise.all(searches.slice(0, MAX_COUNTED).map(countOf));
  return html`<${SearchList} ...${{ searches, counts, me: user.name }} />`;
}

class SearchList extends Component {
  state = {};

  remove = async ({ id, name }) => {
    try {
      await send('DELETE', `${PATH}/${id}`);
      tellSaved(`“${name}” is deleted.`);
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  };

  render({ searches, counts, me }, { editing, problem }) {
    const close = () => this.setState({ editing: undefined });
    const button = (text, search, onClick) =>
      html`<button type="button" class="tiny quiet" aria-label=${`${text} ${search.name}`} onClick=${onClick}>${text}</button>`;
    const own = (search) =>
      html`${button('Change', search, () => this.setState({ editing: search }))} <${Confirm} name="Delete …" yes="Delete it" of=${search.name} onYes=${() => this.remove(search)} />`;
    const row = (search, index) =>
      editing === search
        ? html`<tr key="form" class="editing"><td colspan="4"><${SearchForm} ...${{ search, onClose: close }} /></td></tr>`
        : html`<tr key=${`${search.owner} ${search.id}`}><td><${SearchLink} ...${{ search, me }} /></td><td class="right">${counts[index]}</td><td class="soft">${search.group || (search.owner === me ? 'you alone' : '')}</td><td>${search.owner === me && own(search)}</td></tr>`;
    return html`<section aria-label="My searches">
      ${problem && html`<p class="notice bad" role="alert">${problem}</p>`}
      ${searches.length === 0 && html`<p class="soft">None yet. <b>Save search</b> above any list keeps it here.</p>`}
      ${searches.length > 0 && html`<${Table} caption="Saved searches" heads=${['Name', '#Bugs', 'Seen by', '']} rows=${searches.map(row)} />`}</section>`;
  }
}
