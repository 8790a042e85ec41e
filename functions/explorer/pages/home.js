import { Component } from 'preact';
import { attempt, bugUrl, counted, html, listUrl, number, shownName, withoutTags } from './elements.js';
import { apiKey, reader, readNames, rest, restOnce, visitedBugs } from './rest.js';
import { BugTable, columnsOf, readBy } from './table.js';

/** The lists of a reader with a key: what they are called, their conditions, and how many rows are shown at once. */
const OWN_LISTS = [
  ['Waiting for you', { f1: 'requestees.login_name', o1: 'equals', v1: '%user%' }, 8],
  ['Assigned to you', { assigned_to: '%user%', resolution: '---' }, 8],
  ['Reported by you', { creator: '%user%', resolution: '---' }, 5],
];
const COLUMNS = columnsOf('priority,short_desc,bug_status,component,changeddate');
const ORDER = 'changeddate DESC';

/** The first bugs of a list, and how many there are. */
async function readList([title, conditions, limit]) {
  const query = new URLSearchParams(conditions);
  const fields = `${readBy(COLUMNS)},flags`;
  const more = new URLSearchParams({ list_order: ORDER, limit, count_total: 1, include_fields: fields });
  const { bugs, total_matches: count = bugs.length } = await rest(`bug?${query}&${more}`);
  return { title, bugs, count, address: listUrl({ ...conditions, order: ORDER }) };
}

const PRODUCTS = 'product?type=accessible&include_fields=name,description';

/** The start page: own bugs, saved searches, products; without a key products, and what changed last. */
export async function page() {
  if (apiKey() === '') return welcomePage(await restOnce(PRODUCTS));
  const searches = restOnce('bugless/saved_searches').catch(() => ({}));
  const beside = Promise.all([reader(), searches, restOnce(PRODUCTS)]);
  // It is awaited when the lists are shown, which may fail before.
  beside.catch(() => undefined);
  const lists = await Promise.all(OWN_LISTS.map(readList));
  const { promise: later, resolve: onRead } = Promise.withResolvers();
  return { title: 'Bugless', content: html`<${Home} ...${{ lists, beside, onRead }} />`, later };
}

/** Own bugs at once; what stands beside them, and names, are read meanwhile. */
class Home extends Component {
  state = { names: {} };

  async componentDidMount() {
    const { lists, beside, onRead } = this.props;
    const asking = lists[0].bugs.flatMap(({ flags = [] }) => flags.map(({ setter }) => setter));
    const naming = readNames(asking).then((names) => this.setState({ names }));
    const show = ([{ name: me }, { saved_searches: searches }, { products }]) =>
      this.setState({ me, searches, products });
    await attempt(beside.then(show));
    await naming;
    onRead();
  }

  render({ lists }, { me, names, searches, products }) {
    const found = lists.filter(({ bugs }) => bugs.length > 0);
    const visited = me ? visitedBugs() : [];
    return html`<h1 class="sr">Your bugs</h1><div class="home"><div>
      ${found.length === 0 && html`<${NothingWaits} />`}
      ${found.map((list) => html`<${OwnList} ...${{ ...list, me, names }} />`)}
    </div><aside class="side" aria-label="Searches and products">
      ${
        searches &&
        html`<section aria-label="Saved searches"><div class="head"><h2>Saved searches</h2>${searches.length > 0 && html`<a class="small push" href="userprefs.cgi?tab=saved-searches">Manage</a>`}</div>
        ${searches.length === 0 && html`<p class="soft small">None yet. <b>Save search</b> above any list keeps it here.</p>`}
        <ul class="links">${searches.map((search) => html`<li><a href=${`buglist.cgi?${search.query}`}><span dir="auto">${search.name}</span>${search.owner !== me && html`<span class="count small">of ${shownName(search.owner)}</span>`}</a></li>`)}</ul></section>`
      }
      ${products && html`<section><div class="head"><h2>Products</h2></div><ul class="links">${products.map(({ name, description }) => html`<li><a href=${openBugsOf(name)} title=${withoutTags(description)}><span dir="auto">${name}</span></a></li>`)}</ul></section>`}
      ${visited.length > 0 && html`<section><div class="head"><h2>Last visited</h2></div><ul class="links">${visited.map(({ id, summary }) => html`<li><a href=${bugUrl(id)}><span class="soft num">${id}</span><span dir="auto">${summary}</span></a></li>`)}</ul></section>`}
    </aside></div>`;
  }
}

const openBugsOf = (name) => listUrl({ product: name, bug_status: '__open__' });

/** Own bugs with a table of the first ones. Until it is known who reads, what is asked of anybody is shown. */
const OwnList = ({ title, bugs, count, address, me, names }) => {
  const isAsked = ({ requestee }) => requestee && (me === undefined || requestee === me);
  const asked = ({ name, setter }) =>
    html`<span class="chip tag private">${name}? from ${shownName(setter, names)}</span>`;
  const note = ({ flags = [] }) => flags.filter(isAsked).map(asked);
  return html`<section aria-label=${title}><div class="head"><h2>${title}</h2><span class="soft num">${number(count)}</span>${count > bugs.length && html`<a class="push small" href=${address}>All ${number(count)}</a>`}</div>
    <${BugTable} caption=${title} bugs=${bugs} columns=${COLUMNS} isSame note=${title === OWN_LISTS[0][0] ? note : undefined} /></section>`;
};

const NothingWaits = () => html`<div class="empty"><h2>Nothing waits for you.</h2>
  <p class="soft">Here stand bugs that are assigned to you, that you reported, and questions to you. Three ways to begin:</p>
  <ul class="stack"><li><a href="buglist.cgi?bug_status=UNCONFIRMED">Look through unconfirmed bugs</a></li>
    <li><a href="buglist.cgi?bug_status=__open__&order=changeddate%20DESC">See what changed last</a></li>
    <li><a href="userprefs.cgi?tab=email">Say which changes you want by mail</a></li></ul>
  <p><a class="button primary" href="enter_bug.cgi">Report a bug</a></p></div>`;

async function welcomePage({ products }) {
  const more = new URLSearchParams({ list_order: ORDER, limit: 10, include_fields: readBy(COLUMNS) });
  const { bugs } = await rest(`bug?${more}`);
  return {
    title: 'Bugless',
    content: html`<div class="welcome"><h1>Find a bug, or report one</h1>
      <p class="lead">${products.length === 0 ? 'There is no product that you may see. Perhaps when you are signed in.' : `Bugs of ${counted(products.length, 'product')} are public. Sign in to comment, to report, and to follow.`}</p>
      <p class="line"><a class="button primary" href="enter_bug.cgi">Report a bug</a><a class="button" href="query.cgi">Search by a form</a></p></div>
      <section><div class="head"><h2>Products</h2></div><ul class="products">${products.map(({ name, description }) => html`<li><a href=${openBugsOf(name)} dir="auto">${name}</a><p class="soft" dir="auto">${withoutTags(description)}</p></li>`)}</ul></section>
      <section class="latest"><div class="head"><h2>Changed last</h2><a class="push small" href="buglist.cgi?bug_status=__open__&order=changeddate%20DESC">All open bugs</a></div>
      <${BugTable} caption="Changed last" bugs=${bugs} columns=${COLUMNS} isSame /></section>`,
  };
}
