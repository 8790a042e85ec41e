import { readValues } from './bug-fields.js';
import { conditionsInWords } from './conditions.js';
import { html } from './elements.js';
import { labelOf } from './labels.js';
import { rest } from './rest.js';

const ME = '%user%';
const ROLES = ['assigned_to', 'reporter', 'cc', 'qa_contact'];
const STATES = [
  ['__open__', 'Open'],
  ['__closed__', 'Closed'],
];
/** The parameters of which the form has an input, by their names in Bugzilla. */
const SELECTS = ['bug_status', 'product', 'component', 'priority', 'bug_severity'];
const TEXTS = ['content', 'keywords', 'target_milestone'];
const OWN = [
  ...SELECTS,
  ...TEXTS,
  'email1',
  'emailtype1',
  ...ROLES.map((role) => `email${role}1`),
  'chfieldfrom',
  'chfieldto',
];
/** What it does not keep: what says how a list is shown, not what it has. */
const DROPPED = ['limit', 'offset', 'ctype', 'list_id', 'query_format', 'format'];
/** Old links have these. */
const CREDENTIAL = /^(bugzilla_)?(api_?key|token|login|password)$/i;

/** The form of a search. It writes the address of a list with Bugzilla's parameters, and reads it back: others are kept. */
export async function queryPage(parameters) {
  const [{ products }, values] = await Promise.all([
    rest('product?type=accessible&include_fields=name,components.name'),
    readValues(),
  ]);
  const namesOf = (list) => list.map(({ name }) => [name, name]).filter(([name]) => name);
  const components = [...new Set(products.flatMap((one) => one.components.map(({ name }) => name)))].sort();
  const options = {
    bug_status: [...STATES, ...namesOf(values.get('bug_status'))],
    product: namesOf(products),
    component: components.map((name) => [name, name]),
    priority: namesOf(values.get('priority')),
    bug_severity: namesOf(values.get('bug_severity')),
  };
  const kept = new URLSearchParams(
    [...parameters].filter(
      ([name]) => !OWN.includes(name) && !DROPPED.includes(name) && !CREDENTIAL.test(name),
    ),
  );
  const given = (name) => parameters.get(name) ?? '';
  const person = given('email1') === ME ? 'me' : given('email1');
  const isChecked = (role) => (person === '' ? role === 'assigned_to' : given(`email${role}1`) === '1');
  const field = (name, label, content) =>
    html`<div class="field"><label for=${`query-${name}`}>${label}</label>${content}</div>`;
  const text = (name, label, value = given(name), more = {}) =>
    field(name, label, html`<input id=${`query-${name}`} name=${name} defaultValue=${value} ...${more} />`);
  const select = (name) => {
    const chosen = parameters.getAll(name);
    // What the address names stays, also where it is not offered.
    const others = chosen
      .filter((one) => !options[name].some(([value]) => value === one))
      .map((one) => [one, one]);
    return field(
      name,
      labelOf(name),
      html`<select id=${`query-${name}`} name=${name} multiple size="5">${[...others, ...options[name]].map(([value, shown]) => html`<option value=${value} selected=${chosen.includes(value)}>${shown}</option>`)}</select>`,
    );
  };
  return {
    title: 'Search – Bugless',
    content: html`<h1>Search</h1>
      <p>The <a href="page.cgi?id=quicksearch.html">search line</a> above takes most of this, too.</p>
      <form class="edit" action="buglist.cgi" aria-label="Search for bugs" onSubmit=${(event) => search(event, parameters)}>
        ${text('content', 'Words of the summary or a comment')}
        <div class="grid lists">${SELECTS.map(select)}</div>
        <div class="grid">
          ${text('email1', 'Person', person, { autocomplete: 'off', placeholder: 'me, or part of a login' })}
          <fieldset><legend>is</legend>${ROLES.map((role) => html`<label class="check"><input type="checkbox" name=${`email${role}1`} value="1" defaultChecked=${isChecked(role)} /> ${labelOf(role)}</label>`)}</fieldset>
          ${TEXTS.slice(1).map((name) => text(name, labelOf(name)))}
          ${text('chfieldfrom', 'Changed since', given('chfieldfrom'), { placeholder: 'YYYY-MM-DD, or -2w' })}
        </div>
        ${[...kept].map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
        ${kept.size > 0 && html`<ul class="conditions" aria-label="Further conditions">${conditionsInWords(kept).map((words) => html`<li>${words}</li>`)}</ul>`}
        <div class="buttons"><button type="submit">Search</button> <a href="query.cgi">Begin anew</a></div>
      </form>`,
  };
}

/** What is sent: nothing that is empty, and a person as Bugzilla has it. The form itself stays as it is. */
function search(event, parameters) {
  event.preventDefault();
  const query = new URLSearchParams(
    [...new FormData(event.target)].filter(([, value]) => value.trim() !== ''),
  );
  const entered = query.get('email1')?.trim();
  const person = entered === 'me' ? ME : entered;
  if (person === undefined) for (const role of ROLES) query.delete(`email${role}1`);
  else {
    query.set('email1', person);
    query.set('emailtype1', typeOf(person, parameters));
  }
  if (query.has('chfieldfrom')) query.set('chfieldto', parameters.get('chfieldto') ?? 'Now');
  location.assign(`buglist.cgi?${query}`);
}

/** How a person is compared: as the address said of the same one. */
function typeOf(person, parameters) {
  const given = parameters.get('emailtype1');
  if (given !== null && person === parameters.get('email1')) return given;
  return person === ME || person.includes('@') ? 'exact' : 'substring';
}
