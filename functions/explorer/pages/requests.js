import { bugUrl, counted, html, Person, Tabs, When } from './elements.js';
import { apiKey, rest } from './rest.js';
import { BugTable } from './table.js';

/** Those who are asked, and who ask, in the address, by tab; all else of it is kept. */
const PEOPLE = ['requester', 'requestee', 'do_union'];
const ME = '%user%';
const TABS = [
  ['Of you and by you', { requester: ME, requestee: ME, do_union: 1 }],
  ['Asked of you', { requestee: ME }],
  ['Asked by you', { requester: ME }],
  ['All', { requestee: '', requester: '' }],
];

/** What flags ask for: of the reader, by the reader, or all. Parameters are those of Bugzilla's page. */
export async function page(parameters) {
  const others = [...parameters].filter(([name, value]) => value && !PEOPLE.includes(name));
  const addressOf = (people) => `request.cgi?${new URLSearchParams([...others, ...Object.entries(people)])}`;
  // Without people in the address, those of who is signed in, as in Bugzilla.
  const given = Object.fromEntries(
    PEOPLE.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name)]] : [])),
  );
  const isOut = apiKey() === '';
  const people = Object.keys(given).length > 0 || isOut ? given : TABS[0][1];
  const query = new URLSearchParams([...others, ...Object.entries(people)]);
  const wordsOf = (some) => String(Object.entries(some).filter(([, value]) => value));
  const isSame = (some) => wordsOf(some) === wordsOf(people);
  const { requests } = await rest(`bugless/requests?${query}`);
  const person = (login, detail) =>
    login
      ? html`<${Person} login=${login} names=${{ [login]: detail?.real_name }} hasFace />`
      : html`<span class="soft">anybody</span>`;
  const summary = (one) =>
    html`<a href=${bugUrl(one.bug_id)} dir="auto">${one.summary}</a>${one.attachment_id && html`<a class="chip tag" href=${`show_bug.cgi?id=${one.bug_id}#a${one.attachment_id}`} dir="auto">${one.attachment_summary}</a>`}`;
  const columns = [
    ['bug_id', 'ID', ({ bug_id }) => html`<a href=${bugUrl(bug_id)}>${bug_id}</a>`],
    ['request', 'Flag', ({ name, status }) => html`<b>${name}${status}</b>`],
    ['short_desc', 'Summary', summary],
    ['assigned_to', 'Asked of', (one) => person(one.requestee, one.requestee_detail)],
    ['assigned_to', 'Asked by', (one) => person(one.setter, one.setter_detail)],
    ['component', 'Component', ({ component }) => html`<span dir="auto">${component}</span>`],
    ['changeddate', 'Since', ({ modification_date }) => html`<${When} at=${modification_date} />`],
  ].map(([name, heading, show]) => ({ name, heading, show, isNarrow: name !== 'component' }));
  return {
    title: 'Requests – Bugless',
    content: html`<div class="head"><h1>Requests</h1><span class="soft num" role="status">${counted(requests.length, 'request')}</span><a class="push small" href=${`request.cgi?${query}&ctype=csv`}>Download as CSV</a></div>
      <${Tabs} label="Requests" tabs=${TABS.slice(isOut ? -1 : 0).map(([name, some]) => [name, addressOf(some), isSame(some)])} />
      ${requests.length === 0 ? html`<div class="empty"><h2>Nothing is asked.</h2><p class="soft">Here stand flags as needinfo? and review?, with who is asked and who asks.</p></div>` : html`<${BugTable} caption="Requests" bugs=${requests} columns=${columns} />`}`,
  };
}
