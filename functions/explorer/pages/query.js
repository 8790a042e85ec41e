import { readValues } from './bug-fields.js';
import { Charts, chartParameters, isChart, readCharts } from './charts.js';
import { conditionsOf, nameOf } from './conditions.js';
import { Chip, counted, focusOn, html, LookingUp, State } from './elements.js';
import { Checks, Field, Options } from './inputs.js';
import { addLabels, labelOf } from './labels.js';
import { rest, restOnce } from './rest.js';

const ME = '%user%';
const ROLES = ['assigned_to', 'reporter', 'cc', 'qa_contact'];
/** Statuses as they are drawn: each of a kind after that which means all of it. */
const statesOf = (values) =>
  [true, false].flatMap((isOpen) => [
    isOpen ? ['__open__', html`<b>All open</b>`] : ['__closed__', html`<b>All closed</b>`],
    ...values
      .filter(({ name, is_open }) => name && is_open === isOpen)
      .map(({ name, is_open }) => [name, html`<${State} bug=${{ status: name, is_open }} />`]),
  ]);
/** The parameters of which the form has an input, by their names in Bugzilla. */
const SELECTS = ['bug_status', 'resolution', 'product', 'component', 'priority', 'bug_severity'];
const TEXTS = ['content', 'short_desc', 'keywords', 'target_milestone'];
const OF_PEOPLE = ['email1', 'emailtype1', ...ROLES.map((role) => `email${role}1`)];
const OWN = [...SELECTS, ...TEXTS, ...OF_PEOPLE, 'chfieldfrom', 'chfieldto'];
/** What it does not keep: what says how a list is shown, not what it has. */
const DROPPED = ['limit', 'offset', 'ctype', 'list_id', 'query_format', 'format'];
/** Old links have these. */
const CREDENTIAL = /^(bugzilla_)?(api_?key|token|login|password)$/i;

/** The form of a search. It writes the address of a list with Bugzilla's parameters, and reads it back: others are kept. */
export async function page(parameters) {
  const [{ products }, values] = await Promise.all([
    restOnce('product?type=accessible&include_fields=name,components.name'),
    readValues(),
  ]);
  const { fields } = await restOnce('field/bug');
  addLabels(fields.filter((one) => one.is_custom).map((one) => [one.name, one.display_name]));
  const charted = fields.map(({ name }) => [name, nameOf(name)]);
  charted.sort(([, a], [, b]) => a.localeCompare(b));
  return {
    title: 'Search – Bugless',
    content: html`<div class="head"><h1>Search</h1><a class="small" href="page.cgi?id=quicksearch.html">What the search line understands</a></div><${QueryForm} ...${{ parameters, products, values, fields: charted }} />`,
  };
}

class QueryForm extends LookingUp {
  constructor(properties) {
    super(properties);
    const { parameters } = properties;
    const given = (name) => parameters.get(name) ?? '';
    const person = given('email1') === ME ? 'me' : given('email1');
    this.state = {
      chosen: Object.fromEntries(SELECTS.map((name) => [name, parameters.getAll(name)])),
      texts: {
        ...Object.fromEntries([...TEXTS, 'chfieldfrom'].map((name) => [name, given(name)])),
        email1: person,
      },
      roles: ROLES.filter((role) =>
        person === '' ? role === 'assigned_to' : given(`email${role}1`) === '1',
      ),
      charts: readCharts(parameters),
    };
    this.kept = new URLSearchParams(
      [...parameters].filter(
        ([name]) =>
          !OWN.includes(name) && !DROPPED.includes(name) && !CREDENTIAL.test(name) && !isChart(name),
      ),
    );
  }

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    this.lookUpSoon(String(this.query()));
  }

  /** Says how many bugs meet what is entered. */
  read = (query) => rest(`bug?${query}&count_only=1`);

  /** What is sent: nothing that is empty, and a person as Bugzilla has it. */
  query() {
    const { chosen, texts, roles, charts } = this.state;
    const { parameters } = this.props;
    const { email1, chfieldfrom, ...words } = texts;
    const pairs = (all) => all.filter(([, value]) => value.trim() !== '');
    const [content, ...others] = pairs(Object.entries(words)).sort(([name]) => (name === 'content' ? -1 : 1));
    const entered = email1.trim();
    const person = entered === 'me' ? ME : entered;
    const query = new URLSearchParams([
      ...[content].filter(Boolean),
      ...SELECTS.flatMap((name) => chosen[name].map((value) => [name, value])),
      ...(person === '' ? [] : [['email1', person], ...roles.map((role) => [`email${role}1`, '1'])]),
      ...others,
      ...pairs([['chfieldfrom', chfieldfrom]]),
      ...chartParameters(charts),
      ...this.kept,
    ]);
    if (person !== '') query.set('emailtype1', typeOf(person, parameters));
    if (query.has('chfieldfrom')) query.set('chfieldto', parameters.get('chfieldto') ?? 'Now');
    return query;
  }

  submit = (event) => {
    event.preventDefault();
    location.assign(`buglist.cgi?${this.query()}`);
  };

  choose = (name) => (next) => this.setState({ chosen: { ...this.state.chosen, [name]: next } });

  /** Check boxes of a field: what the address names stays, also where it is not offered. */
  checks(name, offered) {
    const value = this.state.chosen[name];
    const others = value.filter((one) => !offered.some(([known]) => known === one));
    return html`<${Checks} field=${{ name: `query-${name}`, label: labelOf(name), options: [...others, ...offered] }} value=${value} onChange=${this.choose(name)} />`;
  }

  text(name, label, more = {}) {
    const { texts } = this.state;
    return html`<${Field} field=${{ name: `query-${name}`, label, kind: 'text', ...more }} value=${texts[name]} onChange=${(value) => this.setState({ texts: { ...texts, [name]: value } })} />`;
  }

  render({ products, values, fields }, { chosen, roles, charts, bug_count: count }) {
    const namesOf = (list) => list.map(({ name }) => [name, name]).filter(([name]) => name);
    const places =
      chosen.product.length === 0 ? products : products.filter(({ name }) => chosen.product.includes(name));
    const components = [
      ...new Set([...chosen.component, ...places.flatMap((one) => one.components.map(({ name }) => name))]),
    ].sort();
    const list = (name, all) =>
      html`<${Options} name=${`query-${name}`} label=${labelOf(name)} isNarrowed options=${all.map((one) => [one.name ?? one])} chosen=${chosen[name]} onChange=${this.choose(name)} />`;
    return html`<form class="form" action="buglist.cgi" aria-label="Search for bugs" onSubmit=${this.submit}>
      <div class="two">${this.text('content', 'Words in the summary or a comment')}${this.text('short_desc', 'Words in the summary only')}</div>
      <div class="two">${this.text('email1', 'Person', { hint: 'me, or part of a login' })}
        <${Checks} field=${{ name: 'query-role', label: 'Role of this person', options: ROLES.map((role) => [role, labelOf(role)]) }} value=${roles} onChange=${(next) => this.setState({ roles: next })} /></div>
      <div class="two group">${list('product', products)}${list('component', components)}</div>
      <div class="group stack criteria">${this.checks('bug_status', statesOf(values.get('bug_status')))}${this.checks('resolution', namesOf(values.get('resolution')))}${this.checks('priority', namesOf(values.get('priority')))}${this.checks('bug_severity', namesOf(values.get('bug_severity')))}</div>
      <div class="three group">${this.text('chfieldfrom', 'Changed since', { hint: 'YYYY-MM-DD, or -2w' })}${this.text('keywords', 'Keywords')}${this.text('target_milestone', 'Target milestone')}</div>
      <fieldset class="group"><legend>Further conditions</legend><${Charts} id="chart" group=${charts} fields=${fields} onChange=${(next, focus) => this.setState({ charts: next }, () => focusOn(focus))} /></fieldset>
      ${this.kept.size > 0 && html`<fieldset class="group"><legend>Others, of the address</legend><ul class="chips" aria-label="Others, of the address">${conditionsOf(this.kept).map(({ words }) => html`<li><${Chip} label=${words} /></li>`)}</ul></fieldset>`}
      <div class="actions"><button type="submit" class="primary">Search</button><span class="soft" role="status">${count !== undefined && `${counted(count, 'bug')} ${count === 1 ? 'meets' : 'meet'} this`}</span><a class="button quiet push" href="query.cgi">Clear all</a></div>
    </form>`;
  }
}

/** How a person is compared: as the address said of the same one. */
function typeOf(person, parameters) {
  const given = parameters.get('emailtype1');
  if (given !== null && person === parameters.get('email1')) return given;
  return person === ME || person.includes('@') ? 'exact' : 'substring';
}
