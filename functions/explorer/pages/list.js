import { conditionsOf } from './conditions.js';
import { bugUrl, counted, html, Icon, Lazy, Listening, listUrl, Menu, number, save } from './elements.js';
import { Choices, Conditions } from './facets.js';
import { labelOf, restName } from './labels.js';
import { apiKey, KEY_INVALID, reader, rest } from './rest.js';
import { searchOf } from './search-line.js';
import { BugTable, CHOICES, columnsOf, readBy } from './table.js';

const ROWS = 100;
/** What a list without an order is ordered by first. */
const DEFAULT_ORDER = 'bug_status';

/** The page of the bugs that meet the conditions of the address, which are those of the search. */
export async function page(parameters) {
  const { quicksearch, line, query, read } = searchOf(parameters);
  if (line.bug !== undefined) {
    location.replace(bugUrl(line.bug));
    return { title: quicksearch };
  }
  const limit = Math.min(Number(parameters.get('limit')) || ROWS, ROWS);
  const offset = Number(parameters.get('offset')) || 0;
  const order = parameters.get('order') ?? '';
  const columnlist = parameters.get('columnlist') ?? '';
  const columns = shownColumns(columnlist, read);
  const fields = readBy([...columnsOf(columnlist), ...columnsOf('product,changeddate')]);
  const shown = new URLSearchParams({
    list_order: order,
    limit,
    offset,
    count_total: 1,
    include_fields: fields,
  });
  // The header says why a key is not valid.
  const reading = Promise.all([rest(`bug?${read}&${shown}`), reader().catch(() => undefined)]);
  const found = await reading.catch((problem) => {
    if (quicksearch === '' || problem.status !== 400 || problem.code === KEY_INVALID) throw problem;
    return problem;
  });
  if (found instanceof Error) {
    const { SearchHelp } = await import('./help.js');
    return {
      title: quicksearch,
      content: html`<div class="head"><h1 dir="auto">${quicksearch}</h1></div><p class="notice bad" role="alert">${found.message}</p><${SearchHelp} />`,
    };
  }
  const [{ bugs, total_matches: count = bugs.length }, user] = found;
  const kept = columnlist === '' ? [] : [['columnlist', columnlist]];
  const addressOf = (conditions) => (more) => listUrl([...conditions, ...kept, ...Object.entries(more)]);
  const [address, formatAddress] = [query, read].map(addressOf);
  const ordered = order === '' ? {} : { order };
  const listOf = (conditions) => addressOf(conditions)(ordered);
  const same = (condition) => {
    const names = Object.keys(condition).flatMap((name) => [name, restName(name)]);
    return listOf([...[...query].filter(([name]) => !names.includes(name)), ...Object.entries(condition)]);
  };
  keepList(bugs, count, offset);
  const shownNames = columns.map(({ name }) => name).slice(1);
  const columnChoice = {
    ...{ name: 'columns', label: 'Columns', menu: { icon: 'columns', side: 'right', className: 'desk' } },
    chosen: shownNames,
    read: async () => [...new Set([...CHOICES, ...shownNames])].map((name) => [name, '', labelOf(name)]),
  };
  const conditions = conditionsOf(query);
  const product = query.getAll('product');
  const newBug = `enter_bug.cgi${product.length === 1 ? `?${new URLSearchParams({ product: product[0] })}` : ''}`;
  return {
    title: quicksearch || 'Bugs',
    content: html`
      <div class="head" data-new-bug=${newBug}><h1 dir="auto">${titleOf(query, quicksearch)}</h1><span class="soft num" role="status">${counted(count, 'bug')}</span>
        <span class="push line">${user !== undefined && html`<${Save} query=${listOf(query).replace(/^[^?]*\?/, '')} />`}
          <${Choices} ...${columnChoice} addressOf=${(names) => listUrl([...query, ...Object.entries(ordered), ['columnlist', names.join()]])} />
          <${Menu} label="More" icon="more" kind="button quiet only" side="right"><ul>
            <li><a href=${formatAddress({ order, ctype: 'csv' })} onClick=${(event) => save(event, formatAddress({ order }).replace('buglist.cgi', 'rest/bugless/list.csv'), 'bugs.csv')}>Download as CSV</a></li>
            <li><a href=${formatAddress({ ctype: 'atom' })}>Feed${apiKey() !== '' && ', which has only what everybody may see'}</a></li>
            <li><a href=${`query.cgi?${read}`}>Edit this search in the form</a></li></ul><//></span></div>
      <${Conditions} ...${{ conditions, query, addressOf: listOf, without: (names) => listOf([...query].filter(([name]) => !names.includes(name))), formAddress: `query.cgi?${read}` }} />
      ${bugs.length === 0 ? html`<${Nothing} ...${{ quicksearch, newBug, read }} />` : html`<${Selection} key=${location.search} ...${{ bugs, columns, order: order || DEFAULT_ORDER, address, same, user }} />`}
      <${Pages} ...${{ count, offset, limit, order, address }} />`,
  };
}

/** What a list is called: its words, else its product and state. */
function titleOf(query, quicksearch) {
  if (quicksearch !== '') return `Bugs with “${quicksearch}”`;
  const products = query.getAll('product');
  if (products.length !== 1) return `${query}` === 'bug_status=__all__' ? 'All bugs' : 'Bugs';
  return query.get('bug_status') === '__open__' ? `${products[0]}: open` : products[0];
}

/** The columns of a list, without those that its conditions make the same in each row, where the address names none. */
function shownColumns(columnlist, read) {
  const isFixed = ({ name }) =>
    columnlist === '' &&
    // Of several products, the summary needs the room of the severity.
    ((name === 'bug_severity' && read.getAll('product').length !== 1) ||
      (['product', 'component', 'priority', 'bug_severity', 'assigned_to'].includes(name) &&
        read.getAll(name).length === 1));
  return columnsOf(columnlist).filter((column) => !isFixed(column));
}

/** Keeps the order of a list for the pages of its bugs. */
function keepList(bugs, count, offset) {
  const ids = bugs.map(({ id }) => id);
  const list = { address: `buglist.cgi${location.search}`, ids, total: number(count), offset };
  sessionStorage.setItem('bugless list', JSON.stringify(list));
}

/** What would find more, where nothing was found. */
const Nothing = ({ quicksearch, newBug, read }) =>
  html`<div class="empty"><h2>No bug that you may see meets these conditions.</h2>
  <p class="soft">What would find more:</p>
  <ul class="stack">
    ${quicksearch !== '' && !/^ALL /.test(quicksearch) && html`<li><a href=${listUrl({ quicksearch: `ALL ${quicksearch}` })}>Search closed bugs, too</a></li>`}
    <li>Take a condition away, or use parts of words: <a href="page.cgi?id=quicksearch.html">how searches work</a></li>
    <li><a href=${`query.cgi?${read}`}>Put a search together by the form</a></li></ul>
  <p><a class="button primary" href=${quicksearch === '' ? newBug : `enter_bug.cgi?${new URLSearchParams({ short_desc: quicksearch })}`}>File a new bug</a></p></div>`;

/** A button for a form that saves the search of a list; its code is read then. */
class Save extends Listening {
  componentDidMount() {
    this.listenToKeys({ s: () => document.getElementById('save-search').click() });
  }

  close = () => {
    const opener = document.getElementById('save-search');
    opener.parentElement.open = false;
    opener.focus();
  };

  render({ query }) {
    return html`<${Menu} id="save-search" name="Save search" icon="star" side="right" className="desk">
      <${Lazy} from=${() => import('./saved-searches.js')} part="SaveSearch" query=${query} onClose=${this.close} /><//>`;
  }
}

/** The ids of the bugs that have changed since the reader looked at them, as far as that is kept: of bugs that concern them. */
export async function changedSinceVisit(bugs) {
  const [first, ...others] = bugs.map(({ id }) => id);
  if (first === undefined) return new Set();
  const visits = await rest(
    `bug_user_last_visit/${first}?${new URLSearchParams(others.map((id) => ['ids', id]))}`,
  );
  const visitOf = new Map(visits.map(({ id, last_visit_ts }) => [id, Date.parse(last_visit_ts)]));
  const isChanged = ({ id, last_change_time }) => visitOf.get(id) < Date.parse(last_change_time);
  return new Set(bugs.filter(isChanged).map(({ id }) => id));
}

/** What each key does in a list. */
const KEYS = {
  j: (list) => list.move(1),
  k: (list) => list.move(-1),
  o: (list) => list.open(),
  Enter: (list) => list.open(),
  x: (list) => list.toggle(),
  X: (list) => list.extend(),
  e: () => document.querySelector('.bulk summary')?.focus(),
  Escape: (list) => list.state.selected.length > 0 && list.select([]),
};

/** A table of bugs that are selected by who is signed in, and changed together. What is selected stays when one comes back. */
class Selection extends Listening {
  state = { selected: [], changed: new Set(), failed: new Map(), ...this.known() };

  /** What was selected when the reader left. */
  known() {
    const { selected = [], here } = history.state ?? {};
    const ids = this.props.bugs.map(({ id }) => id);
    return {
      selected: selected.filter((id) => ids.includes(id)),
      here: ids.includes(here) ? here : undefined,
    };
  }

  async componentDidMount() {
    this.listenToKeys(KEYS);
    const { user, bugs } = this.props;
    if (user !== undefined) this.setState({ changed: await changedSinceVisit(bugs).catch(() => new Set()) });
  }

  componentDidUpdate() {
    const { selected, here } = this.state;
    history.replaceState({ ...history.state, selected, here }, '');
  }

  move(step) {
    const ids = this.props.bugs.map(({ id }) => id);
    const index = ids.indexOf(this.state.here) + step;
    const here = ids[Math.max(0, Math.min(index, ids.length - 1))];
    this.setState({ here }, () =>
      document.getElementById(`row-${here}`).scrollIntoView({ block: 'nearest' }),
    );
  }

  open() {
    if (this.state.here !== undefined) location.assign(bugUrl(this.state.here));
  }

  toggle() {
    const { selected, here } = this.state;
    if (this.props.user === undefined || here === undefined) return;
    this.select(selected.includes(here) ? selected.filter((id) => id !== here) : [...selected, here], here);
  }

  /** Selects the rows from the one that was selected last to this one. */
  extend() {
    const { selected, here } = this.state;
    const ids = this.props.bugs.map(({ id }) => id);
    const [from, to] = [ids.indexOf(selected.at(-1)), ids.indexOf(here)].sort((a, b) => a - b);
    if (from >= 0) this.select([...new Set([...selected, ...ids.slice(from, to + 1)])], here);
  }

  select = (selected, here = this.state.here) => this.setState({ selected, here, failed: new Map() });

  onFailed = (failed) => this.setState({ failed, selected: [...failed.keys()] });

  render({ user, ...table }, { selected, here, changed, failed }) {
    const shown = { ...table, caption: 'Bugs', here, changed, failed };
    if (user === undefined) return html`<${BugTable} ...${shown} />`;
    const bugs = table.bugs.filter(({ id }) => selected.includes(id));
    return html`<${BugTable} ...${shown} selected=${selected} onSelect=${this.select} />
      ${selected.length > 0 && html`<${Lazy} from=${() => import('./bulk.js')} part="BulkBar" ...${{ bugs, user, onFailed: this.onFailed, onClose: () => this.select([]) }} />`}`;
  }
}

const Pages = ({ count, offset, limit, order, address }) => {
  const link = (text, start, icon) =>
    start >= 0 &&
    start < count &&
    html`<a class="button" href=${address({ order, limit, offset: start })}>${icon === 'left' && html`<${Icon} name="left" />`}${text}${icon === 'right' && html`<${Icon} name="right" />`}</a>`;
  if (count === 0) return undefined;
  const isAll = count <= limit && offset === 0;
  return html`<nav class="pages" aria-label="Pages">
    ${!isAll && html`${link('Previous', offset > 0 ? Math.max(offset - limit, 0) : -1, 'left')}<span class="num">${offset + 1} to ${Math.min(offset + limit, count)} of ${number(count)}</span>${link('Next', offset + limit, 'right')}`}
    <span class="push small desk"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> select · <kbd>o</kbd> open · <a href="page.cgi?id=quicksearch.html">all keys</a></span>
  </nav>`;
};
