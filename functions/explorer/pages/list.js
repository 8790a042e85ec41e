import { bugUrl, html, Person, State, When } from './elements.js';
import { apiKey, rest } from './rest.js';

const ROWS = 100;
const FIELDS = [
  'id,summary,status,resolution,is_open,product,component,severity,priority,assigned_to,last_change_time',
  'assigned_to_detail.real_name',
].join();

/** The columns of a list: heading, the name for `order`, the cell, and whether narrow pages have it. */
const COLUMNS = [
  ['ID', 'bug_id', ({ id }) => html`<a href=${bugUrl(id)}>${id}</a>`, true],
  ['Summary', 'short_desc', ({ id, summary }) => html`<a href=${bugUrl(id)}>${summary}</a>`, true],
  ['Status', 'bug_status', (bug) => html`<${State} bug=${bug} />`, true],
  ['Product', 'product', ({ product }) => product],
  ['Component', 'component', ({ component }) => component],
  ['Severity', 'bug_severity', ({ severity }) => severity],
  ['Priority', 'priority', ({ priority }) => priority],
  ['Assignee', 'assigned_to', (bug) => html`<${Person} login=${bug.assigned_to} names=${namesOf(bug)} />`],
  ['Changed', 'changeddate', (bug) => html`<${When} at=${bug.last_change_time} />`],
];
const namesOf = (bug) => ({ [bug.assigned_to]: bug.assigned_to_detail?.real_name });

/** Bugzilla's names of orders. */
const NAMED_ORDERS = {
  'Bug Number': 'bug_id',
  Importance: 'priority,bug_severity',
  Assignee: 'assigned_to,bug_status,priority,bug_id',
  'Last Changed': 'changeddate',
};
/** Parameters that select no bugs, and credentials, which are not shown. */
const NO_CONDITION =
  /^(order|limit|offset|query_format|columnlist|list_id|ctype|title|(in|ex)clude_fields|(Bugzilla_)?(api_key|token|login|password))$/;

/** The page of the bugs that meet the conditions of the address, which are those of the search. */
export async function listPage(parameters) {
  const quicksearch = parameters.get('quicksearch')?.trim() ?? '';
  if (/^\d+$/.test(quicksearch)) {
    location.replace(bugUrl(quicksearch));
    return { title: quicksearch };
  }
  const limit = Math.min(Number(parameters.get('limit')) || ROWS, ROWS);
  const offset = Number(parameters.get('offset')) || 0;
  const given = parameters.get('order') ?? '';
  const order = NAMED_ORDERS[given] ?? given;
  const query = new URLSearchParams(
    [...parameters].filter(([name, value]) => value && !NO_CONDITION.test(name)),
  );
  const [{ bug_count: count }, { bugs }] = await Promise.all([
    rest(`bug?${query}&count_only=1`),
    rest(`bug?${query}&${new URLSearchParams({ order, limit, offset, include_fields: FIELDS })}`),
  ]);
  const address = (more) => `buglist.cgi?${new URLSearchParams([...query, ...Object.entries(more)])}`;
  return {
    title: quicksearch || 'Bugs',
    content: html`
      <h1>${count === 1 ? '1 bug' : `${count} bugs`}</h1>
      <ul class="conditions" aria-label="Conditions">
        ${[...query].map(([name, value]) => html`<li><b>${name}</b> ${value}</li>`)}
      </ul>
      ${bugs.length === 0 && html`<p>No bug that you may see meets these conditions. Leave one out, or use parts of words: <a href="explorer/bugs.md">how searches work</a>.</p>`}
      ${bugs.length > 0 && html`<${BugTable} bugs=${bugs} order=${order} address=${address} />`}
      <${Pages} ...${{ count, offset, limit, order, address }} />
      <p>${apiKey() === '' && html`This list as <a href=${address({ ctype: 'csv' })}>CSV</a>, as <a href=${address({ ctype: 'atom' })}>feed</a>`}</p>`,
  };
}

/** A table of bugs; sortable when `address` gives the address of the list with other parameters. */
const BugTable = ({ bugs, order, address }) => {
  const heading = ([text, name, , isNarrow]) => {
    const direction = order === name ? 'ascending' : order === `${name} DESC` ? 'descending' : undefined;
    const next = direction === 'ascending' ? `${name} DESC` : name;
    const content = address ? html`<a href=${address({ order: next })}>${text}</a>` : text;
    return html`<th scope="col" class=${isNarrow ? '' : 'wide'} aria-sort=${direction}>${content}</th>`;
  };
  const cell = (bug, [text, , show, isNarrow]) =>
    html`<td class=${`${text.toLowerCase()} ${isNarrow ? '' : 'wide'}`}>${show(bug)}</td>`;
  return html`<table>
    <thead><tr>${COLUMNS.map(heading)}</tr></thead>
    <tbody>${bugs.map((bug) => html`<tr>${COLUMNS.map((column) => cell(bug, column))}</tr>`)}</tbody>
  </table>`;
};

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
  const [own, { products }, { bugs }] = await Promise.all([
    apiKey() === '' ? [] : ownLists().catch(() => []),
    rest('product?type=accessible&include_fields=name,description'),
    rest(`bug?order=changeddate%20DESC&limit=20&include_fields=${FIELDS}`),
  ]);
  const open = (name) => `buglist.cgi?${new URLSearchParams({ product: name, bug_status: '__open__' })}`;
  return {
    title: 'Bugless',
    content: html`
      ${own.length > 0 && html`<ul class="own" aria-label="My bugs">${own.map(({ text, count, address }) => html`<li><a href=${address}>${text}</a> ${count}</li>`)}</ul>`}
      <h1>Products</h1>
      <ul class="products">
        ${products.map(({ name, description }) => html`<li><a href=${open(name)}>${name}</a><p>${withoutTags(description)}</p></li>`)}
      </ul>
      <h2>Last changes</h2>
      <${BugTable} bugs=${bugs} />
      <p><a href="buglist.cgi?bug_status=__open__&order=changeddate%20DESC">All open bugs</a></p>`,
  };
}
