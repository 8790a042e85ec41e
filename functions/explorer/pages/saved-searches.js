import { Component } from 'preact';
import { html, say, shownName, tellSaved } from './elements.js';
import { Field, inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { reader, rest, restOnce, send } from './rest.js';
import { searchOf } from './search-line.js';

const PATH = 'bugless/saved_searches';
/** Of which the start page shows the number of bugs. */
const MAX_COUNTED = 20;

const addressOf = ({ query }) => `buglist.cgi?${query}`;
const readSearches = async () => (await rest(PATH)).saved_searches;

const SearchLink = ({ search, me }) =>
  html`<a href=${addressOf(search)}>${search.name}</a>${search.owner !== me && html` <span class="none">of ${shownName(search.owner)}</span>`}`;

/** The searches that the reader sees, read when the menu is opened. */
export async function searchMenu(me) {
  const searches = await readSearches();
  return html`<ul>${searches.map((search) => html`<li><${SearchLink} ...${{ search, me }} /></li>`)}</ul>
    ${searches.length === 0 && html`<p>Below a list, it can be saved under a name.</p>`}`;
}

/** A name for a search, and with whom it is shared. `search`: one that is changed, `query`: that of a new one */
class SearchForm extends Component {
  state = { values: { name: '', group: '', ...this.props.search }, problems: {}, groups: [] };

  async componentDidMount() {
    document.getElementById(inputId('name'))?.focus();
    const query = new URLSearchParams({ names: (await reader()).name, include_fields: 'groups' });
    const { users } = await restOnce(`user?${query}`).catch(() => ({ users: [] }));
    this.setState({ groups: users.flatMap(({ groups }) => groups.map(({ name }) => name)) });
  }

  submit = async (event) => {
    event.preventDefault();
    say('');
    const { search, query } = this.props;
    const { name, group } = this.state.values;
    try {
      if (search === undefined) await this.add({ name, group, query });
      else await send('PUT', `${PATH}/${search.id}`, { name, group });
      tellSaved(`Saved as “${name.trim()}”.`);
    } catch (problem) {
      const field = fieldOfProblem(problem, this.state.values) ?? 'name';
      this.setState({ problems: { [field]: problem.message } }, () =>
        document.getElementById(inputId(field)).focus(),
      );
    }
  };

  /** Saves the search; one of the same name is replaced when that was asked for. */
  async add(body) {
    if (!this.state.isReplacing) return send('POST', PATH, body);
    const { name: me } = await reader();
    const isSame = ({ name, owner }) => owner === me && name.toLowerCase() === body.name.trim().toLowerCase();
    const existing = (await readSearches()).find(isSame);
    return existing ? send('PUT', `${PATH}/${existing.id}`, body) : send('POST', PATH, body);
  }

  render({ search, onClose }, { values, problems, groups, isReplacing }) {
    const field = (one) =>
      html`<${Field} key=${one.name} field=${one} value=${values[one.name] ?? ''} problem=${problems[one.name]} onChange=${(value) => this.setState({ values: { ...values, [one.name]: value } })} />`;
    const options = [...new Set(['', ...(values.group ? [values.group] : []), ...groups])];
    const isTaken = search === undefined && problems.name !== undefined;
    return html`<form class="edit" aria-label="Saved search" onSubmit=${this.submit}>
      <div class="grid">
        ${field({ name: 'name', label: 'Name', kind: 'text', isRequired: true })}
        ${field({ name: 'group', label: 'Shared with the group', kind: 'select', options })}
      </div>
      ${isTaken && html`<label class="check"><input type="checkbox" checked=${isReplacing} onChange=${({ target }) => this.setState({ isReplacing: target.checked })} /> Replace the one of this name</label>`}
      <div class="buttons"><button type="submit">Save</button>${onClose && html`<button type="button" class="plain" onClick=${onClose}>Cancel</button>`}</div>
    </form>`;
  }
}

/** What saves the search of a list. */
export const SaveSearch = ({ query, onClose }) => html`<${SearchForm} ...${{ query, onClose }} />`;

/** The saved searches of the reader with the numbers of their bugs; undefined: nothing is saved, or it cannot be. */
export async function savedSearches() {
  const [searches, user] = await Promise.all([readSearches().catch(() => []), reader()]);
  if (searches.length === 0) return undefined;
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

  render({ searches, counts, me }, { editing, removing, problem }) {
    const close = () => this.setState({ editing: undefined, removing: undefined });
    const button = (text, search, onClick) =>
      html`<button type="button" class="plain small" aria-label=${`${text} ${search.name}`} onClick=${onClick}>${text}</button>`;
    const own = (search) =>
      html`<span class="actions">${
        removing === search
          ? html`${button('Delete it', search, () => this.remove(search))} ${button('Keep', search, close)}`
          : html`${button('Change', search, () => this.setState({ editing: search }))} ${button('Delete', search, () => this.setState({ removing: search }))}`
      }</span>`;
    return html`<section class="searches" aria-label="My searches"><h2>My searches</h2>
      ${problem && html`<p role="alert">${problem}</p>`}
      <ul>${searches.map((search, index) =>
        editing === search
          ? html`<li key="form"><${SearchForm} ...${{ search, onClose: close }} /></li>`
          : html`<li key=${`${search.owner} ${search.id}`}><${SearchLink} ...${{ search, me }} /> ${counts[index]}
            ${search.group && html` <span class="none">for ${search.group}</span>`} ${search.owner === me && own(search)}</li>`,
      )}</ul></section>`;
  }
}
