import { Component } from 'preact';
import { ColumnChoice, cellOf, columnsOf, readBy } from './columns.js';
import { conditionsOf } from './conditions.js';
import { bugUrl, html, saveFile, say } from './elements.js';
import { restName } from './labels.js';
import { apiKey, reader, request, rest } from './rest.js';
import { searchOf } from './search-line.js';

const ROWS = 100;
/** The code of a key that is not valid. */
const KEY_INVALID = 306;

/** The page of the bugs that meet the conditions of the address, which are those of the search. */
export async function listPage(parameters) {
  const { quicksearch, line, query, read } = searchOf(parameters);
  if (line.bug !== undefined) {
    location.replace(bugUrl(line.bug));
    return { title: quicksearch };
  }
  const limit = Math.min(Number(parameters.get('limit')) || ROWS, ROWS);
  const offset = Number(parameters.get('offset')) || 0;
  const order = parameters.get('order') ?? '';
  const columnlist = parameters.get('columnlist') ?? '';
  const columns = columnsOf(columnlist);
  const reading = Promise.all([
    rest(`bug?${read}&count_only=1`),
    rest(
      `bug?${read}&${new URLSearchParams({ list_order: order, limit, offset, include_fields: `${readBy(columns)},last_change_time` })}`,
    ),
    // The header says why a key is not valid.
    reader().catch(() => undefined),
  ]);
  const found = await reading.catch((problem) => {
    if (quicksearch === '' || problem.status !== 400 || problem.code === KEY_INVALID) throw problem;
    return problem;
  });
  if (found instanceof Error) {
    const { SearchHelp } = await import('./help.js');
    return {
      title: quicksearch,
      content: html`<h1>${quicksearch}</h1><p role="alert">${found.message}</p><${SearchHelp} />`,
    };
  }
  const [{ bug_count: count }, { bugs }, user] = found;
  const kept = columnlist === '' ? [] : [['columnlist', columnlist]];
  const addressOf = (conditions) => (more) =>
    `buglist.cgi?${new URLSearchParams([...conditions, ...kept, ...Object.entries(more)])}`;
  const [address, formatAddress] = [query, read].map(addressOf);
  const without = (names) =>
    addressOf([...query].filter(([name]) => !names.includes(name)))(order === '' ? {} : { order });
  const same = (condition) => {
    const names = Object.keys(condition).flatMap((name) => [name, restName(name)]);
    const others = [...query].filter(([name]) => !names.includes(name));
    return addressOf([...others, ...Object.entries(condition)])(order === '' ? {} : { order });
  };
  const withColumns = (list) =>
    `buglist.cgi?${new URLSearchParams([...query, ...(order === '' ? [] : [['order', order]]), ['columnlist', list]])}`;
  return {
    title: quicksearch || 'Bugs',
    content: html`
      <h1>${count === 1 ? '1 bug' : `${count} bugs`}</h1>
      <ul class="conditions" aria-label="Conditions">
        ${conditionsOf(query).map(({ words, names }) => html`<li>${words}${names.length > 0 && html` <a class="remove" href=${without(names)} aria-label=${`Without ${words}`}>×</a>`}</li>`)}
      </ul>
      ${bugs.length === 0 && html`<p>No bug that you may see meets these conditions. Leave one out, or use parts of words: <a href="page.cgi?id=quicksearch.html">how searches work</a>.</p>`}
      ${bugs.length > 0 && html`<${Selection} ...${{ bugs, columns, order, address, same, user }} />`}
      <${Pages} ...${{ count, offset, limit, order, address }} />
      <${ColumnChoice} columns=${columns} addressOf=${withColumns} />
      ${user !== undefined && html`<${Save} query=${address(order === '' ? {} : { order }).replace(/^[^?]*\?/, '')} />`}
      <p class="formats"><a href=${`query.cgi?${read}`}>Refine this search</a>. This list as <a href=${formatAddress({ order, ctype: 'csv' })} onClick=${saveList}>CSV</a>, as <a href=${formatAddress({ ctype: 'atom' })}>feed</a>${apiKey() !== '' && ' (which has only what everybody may see)'}</p>`,
  };
}

/** A button for a form that saves the search of a list; its code is read then. */
class Save extends Component {
  open = async () => this.setState(await import('./saved-searches.js'));

  render({ query }, { SaveSearch }) {
    if (SaveSearch !== undefined)
      return html`<${SaveSearch} query=${query} onClose=${() => this.setState({ SaveSearch: undefined })} />`;
    return html`<p><button type="button" class="plain small" onClick=${this.open}>Save this search</button></p>`;
  }
}

/** Saves a list as CSV with the reader's key, which a link cannot send; without a key, the link is followed. */
async function saveList(event) {
  if (apiKey() === '') return;
  event.preventDefault();
  const query = new URL(event.currentTarget.href).search.replace('ctype=csv', '');
  try {
    saveFile(await (await request(`rest/bugless/list.csv${query}`)).blob(), 'bugs.csv');
  } catch ({ message }) {
    say(message);
  }
}

/** The ids of the bugs that have changed since the reader looked at them, as far as that is kept: of bugs that concern them. */
async function changedSinceVisit(bugs) {
  const [first, ...others] = bugs.map(({ id }) => id);
  const visits = await rest(
    `bug_user_last_visit/${first}?${new URLSearchParams(others.map((id) => ['ids', id]))}`,
  );
  const visitOf = new Map(visits.map(({ id, last_visit_ts }) => [id, Date.parse(last_visit_ts)]));
  const isChanged = ({ id, last_change_time }) => visitOf.get(id) < Date.parse(last_change_time);
  return new Set(bugs.filter(isChanged).map(({ id }) => id));
}

/** A table of bugs that are selected by who is signed in, and changed together. The code of that is read then. */
class Selection extends Component {
  state = { selected: [], changed: new Set() };

  async componentDidMount() {
    const { user, bugs } = this.props;
    if (user !== undefined) this.setState({ changed: await changedSinceVisit(bugs).catch(() => new Set()) });
  }

  open = async () => {
    const { MassChange } = await import('./mass-change.js');
    this.setState({ MassChange });
  };

  render({ user, ...table }, { selected, changed, MassChange }) {
    if (user === undefined) return html`<${BugTable} ...${table} />`;
    const select = (ids) => this.setState({ selected: ids });
    const close = () => this.setState({ MassChange: undefined });
    const count = selected.length;
    // Before the table, so that the keyboard is there at once; a bar at the foot of the window, so that rows stay where they are.
    return html`
      ${count > 0 && MassChange === undefined && html`<p class="buttons selection"><button type="button" onClick=${this.open}>Change ${count} selected</button></p>`}
      ${count > 0 && MassChange !== undefined && html`<${MassChange} ids=${selected} user=${user} onFailed=${select} onClose=${close} />`}
      <${BugTable} ...${table} changed=${changed} selected=${selected} onSelect=${select} />`;
  }
}

/** A table of bugs; sortable when `address` gives the address of the list with other parameters. */
const BugTable = ({ bugs, columns, order, address, same, changed, selected, onSelect }) => {
  const box = (label, isChecked, onChange) =>
    html`<input type="checkbox" aria-label=${label} checked=${isChecked} onChange=${(event) => onChange(event.target.checked)} />`;
  const all = bugs.map(({ id }) => id);
  const selectAll =
    onSelect &&
    html`<th role="columnheader" class="select">${box('Select all', selected.length === all.length, (is) => onSelect(is ? all : []))}</th>`;
  const selectOne = ({ id }) =>
    onSelect &&
    html`<td role="cell" class="select">${box(`Select bug ${id}`, selected.includes(id), (is) => onSelect(is ? [...selected, id] : selected.filter((one) => one !== id)))}</td>`;
  const heading = ({ name, heading: text, isNarrow }) => {
    const direction = order === name ? 'ascending' : order === `${name} DESC` ? 'descending' : undefined;
    const next = direction === 'ascending' ? `${name} DESC` : name;
    const content = address ? html`<a href=${address({ order: next })}>${text}</a>` : text;
    return html`<th scope="col" role="columnheader" class=${classOf(text, isNarrow)} aria-sort=${direction}>${content}</th>`;
  };
  const isChanged = ({ id }) => changed?.has(id) === true;
  const mark = html` <span class="mark" role="img" aria-label="Changed since you looked at it" title="Changed since you looked at it">●</span>`;
  const cell = (bug, column) =>
    html`<td role="cell" class=${classOf(column.heading, column.isNarrow)}>${cellOf(bug, column, same)}${column.name === 'bug_id' && isChanged(bug) && mark}</td>`;
  // The roles, because rows of narrow pages are laid out otherwise than as rows.
  return html`<table role="table">
    <thead role="rowgroup"><tr role="row">${selectAll}${columns.map(heading)}</tr></thead>
    <tbody role="rowgroup">${bugs.map((bug) => html`<tr role="row" class=${isChanged(bug) ? 'changed' : ''}>${selectOne(bug)}${columns.map((column) => cell(bug, column))}</tr>`)}</tbody>
  </table>`;
};

const classOf = (heading, isNarrow) =>
  `${heading.toLowerCase().replaceAll(' ', '-')} ${isNarrow ? '' : 'wide'}`;

const Pages = ({ count, offset, limit, order, address }) => {
  const link = (text, start) =>
    start >= 0 && start < count && html`<a href=${address({ order, limit, offset: start })}>${text}</a>`;
  if (count <= limit && offset === 0) return undefined;
  return html`<nav class="pages" aria-label="Pages">
    ${link('Previous', offset > 0 ? Math.max(offset - limit, 0) : -1)}
    <span>${offset + 1} to ${Math.min(offset + limit, count)} of ${count}</span>
    ${link('Next', offset + limit)}
  </nav>`;
};

/** A description of a product, which may have simple HTML, as text. */
const withoutTags = (description) => description.replaceAll(/<[^>]*>/g, '');

/** The lists of a reader with a key: what they are called, and their conditions. */
const OWN_LISTS = [
  ['Assigned to me', { assigned_to: '%user%', resolution: '---' }],
  ['Reported by me', { creator: '%user%', resolution: '---' }],
  ['Waiting for me', { f1: 'requestees.login_name', o1: 'equals', v1: '%user%' }],
];

/** The number of bugs in each own list. */
const ownLists = () =>
  Promise.all(
    OWN_LISTS.map(async ([text, conditions]) => {
      const query = new URLSearchParams(conditions);
      const { bug_count: count } = await rest(`bug?${query}&count_only=1`);
      return { text, count, address: `buglist.cgi?${query}` };
    }),
  );

/** The start page: own bugs, products, and what changed last. */
export async function homePage() {
  const columns = columnsOf('');
  const [own, searches, { products }, { bugs }] = await Promise.all([
    apiKey() === '' ? [] : ownLists().catch(() => []),
    apiKey() !== '' &&
      import('./saved-searches.js').then(({ savedSearches }) => savedSearches()).catch(() => undefined),
    rest('product?type=accessible&include_fields=name,description'),
    rest(`bug?order=changeddate%20DESC&limit=20&include_fields=${readBy(columns)}`),
  ]);
  const open = (name) => `buglist.cgi?${new URLSearchParams({ product: name, bug_status: '__open__' })}`;
  return {
    title: 'Bugless',
    content: html`
      ${own.length > 0 && html`<ul class="own" aria-label="My bugs">${own.map(({ text, count, address }) => html`<li><a href=${address}>${text}</a> ${count}</li>`)}</ul>`}
      ${searches}
      <h1>Products</h1>
      ${products.length === 0 && html`<p>There is no product that you may see.${apiKey() === '' && ' Perhaps with an API key: enter yours above.'}</p>`}
      <ul class="products">
        ${products.map(({ name, description }) => html`<li><a href=${open(name)}>${name}</a><p>${withoutTags(description)}</p></li>`)}
      </ul>
      <h2>Last changes</h2>
      <${BugTable} bugs=${bugs} columns=${columns} />
      <p><a href="buglist.cgi?bug_status=__open__&order=changeddate%20DESC">All open bugs</a>, <a href="query.cgi">search by a form</a></p>`,
  };
}
