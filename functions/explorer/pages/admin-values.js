import { Component } from 'preact';
import { adminUrl, ByCommand, Crumbs, EditTable } from './edit-table.js';
import { html, listUrl, number, Table, When } from './elements.js';
import { labelOf, tableOf } from './labels.js';
import { DESCRIPTION, NAME } from './operation-form.js';
import { rest } from './rest.js';

/** The keywords, which are edited in their rows. */
export async function keywordsTab() {
  const { keywords: items } = await rest('bugless/keyword');
  const edit = (one) => ({
    ...{ fields: [DESCRIPTION], values: one, path: `bugless/keyword/${encodeURIComponent(one.name)}` },
    effect: 'The name stands in bugs, so it stays.',
    done: `The keyword ${one.name} is saved.`,
  });
  const create = { fields: [NAME, DESCRIPTION], path: 'bugless/keyword', done: 'The keyword is added.' };
  const link = (one) =>
    html`<a href=${listUrl({ keywords: one.name, bug_status: '__all__' })}>${one.name}</a>`;
  return html`<${EditTable} ...${{ name: 'keyword', title: 'Keywords', one: 'keyword', items, heads: ['Keyword', 'Description'], columns: ['', 'description'], cells: (one) => [link(one), one.description], edit, create }} />
    <${ByCommand} what="A catalogue changes many at once, by the command" command="apply <FILE>" />`;
}

/** The types of custom fields in words, by their numbers in Bugzilla. */
const TYPES = tableOf(
  '1 text, 2 one of its values, 3 several of its values, 4 long text, 5 time, 6 bug, 9 date, 10 number',
);
/** Fields whose values are of a product, or of the workflow. */
const OF_PRODUCTS = ['product', 'component', 'version', 'target_milestone', 'keywords', 'classification'];

/** The fields that have values, or are custom; or the one of the address with its values. */
export async function fieldsTab(parameters) {
  const { fields } = await rest('field/bug');
  const chosen = fields.find(({ name }) => name === parameters.get('field'));
  if (chosen !== undefined) return fieldPage(chosen);
  const items = fields.filter(
    (one) => one.is_custom || (one.values?.length > 0 && !OF_PRODUCTS.includes(one.name)),
  );
  const link = (one) =>
    html`<a href=${adminUrl('fields', { field: one.name })} dir="auto">${one.is_custom ? one.display_name : labelOf(one.name)}</a>`;
  const cells = (one) => [
    link(one),
    one.name,
    TYPES[one.type] ?? 'of Bugzilla',
    (one.values ?? []).filter(({ name }) => name).length || '–',
    one.is_mandatory ? 'needed' : one.is_custom && one.is_on_bug_entry ? 'asked for' : '',
  ];
  return html`<${EditTable} ...${{ name: 'field', title: 'Fields', one: 'field', items, heads: ['Field', 'Name', 'Has', '#Values', 'New bugs'], cells }} />
    <${ByCommand} what="Fields and their values are changed by a catalogue, and the command" command="apply <FILE>" />`;
}

/** A field with its values, whose use is counted on request. */
class Values extends Component {
  state = { counts: new Map() };

  count = async () => {
    const { field } = this.props;
    for (const { name } of field.values.filter((one) => one.name)) {
      const query = new URLSearchParams({ [field.name]: name, count_only: 1 });
      const { bug_count: count } = await rest(`bug?${query}`).catch(() => ({}));
      this.setState(({ counts }) => ({ counts: new Map([...counts, [name, count]]) }));
    }
  };

  render({ field }, { counts }) {
    const values = (field.values ?? []).filter(({ name }) => name);
    const row = (one) =>
      html`<tr><td dir="auto"><a href=${listUrl({ [field.name]: one.name, bug_status: '__all__' })}>${one.name}</a></td><td class="soft">${one.is_active === false ? 'not any more' : 'yes'}</td><td class="right">${counts.has(one.name) ? number(counts.get(one.name)) : ''}</td></tr>`;
    return html`<div class="tools"><span class="soft num">${values.length} values</span><button type="button" class="push" onClick=${this.count}>Count the bugs of each</button></div>
      <${Table} caption="Values" heads=${['Value', 'Can be chosen', '#Bugs']} rows=${values.map(row)} />`;
  }
}

const fieldPage = (field) => html`<${Crumbs} tab="fields" title="Fields" />
  <div class="head"><h1 dir="auto">${field.is_custom ? field.display_name : labelOf(field.name)}</h1><span class="soft">${field.name}</span></div>
  <${Values} field=${field} />
  <${ByCommand} what="Values are changed by a catalogue, and the command" command="apply <FILE>" />`;

/** The audit log, newest entries first, filtered by the address. */
export async function auditTab(parameters) {
  const given = Object.fromEntries(
    ['by', 'of', 'before'].flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)]] : [])),
  );
  const { entries, next } = await rest(`bugless/audit?${new URLSearchParams(given)}`);
  const filter = (name, label) =>
    html`<div class="field"><label for=${`audit-${name}`}>${label}</label><input id=${`audit-${name}`} name=${name} defaultValue=${given[name] ?? ''} /></div>`;
  const change = ({ kind, name, fields }) =>
    html`<li>${kind} <b dir="auto">${name}</b>: ${Object.entries(fields).map(([field, { removed, added }], index) => html`${index > 0 && ', '}${field} ${removed !== '' && html`<del dir="auto">${removed}</del> `}${added !== '' && html`<ins dir="auto">${added}</ins>`}`)}</li>`;
  const row = (entry) =>
    html`<tr><td><${When} at=${entry.time} /></td><td dir="auto">${entry.who}</td><td>${entry.command}${entry.state !== 'done' && ` (${entry.state})`}</td><td><ul>${(entry.changes ?? []).map(change)}</ul></td></tr>`;
  return html`<form class="tools" role="search" action="admin"><input type="hidden" name="tab" value="audit" />${filter('by', 'By')}${filter('of', 'Of')}<button type="submit">Show</button></form>
    ${entries.length === 0 ? html`<p class="soft">Nothing was administered that meets this.</p>` : html`<${Table} caption="Audit log" heads=${['When', 'Who', 'What', 'Changes']} rows=${entries.map(row)} />`}
    ${next !== undefined && html`<p class="pages"><a class="button" href=${adminUrl('audit', { ...given, before: next })}>Older entries</a></p>`}`;
}
