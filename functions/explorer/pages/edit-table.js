import { Component } from 'preact';
import { counted, focusOn, html, Icon, number, Reading, say, Table } from './elements.js';
import { OperationForm } from './operation-form.js';
import { readNames, rest } from './rest.js';

/** The key of a new thing. */
const NEW = 'new thing';
/** Rows that a table shows at once. */
const ROWS = 50;
/** What was filtered, and where one was, by table: it stays when the page is read again. */
const known = new Map();

/**
 * Things in a table, each of which is edited in its row. `name`: unique on the page, `title`, `one`: what a thing is called, `items`, `keyOf`,
 * `heads` and `cells` of a row, which get the names of the people of `peopleOf`, `isOff`: whether one is inactive, which is shown on request; `edit`: properties of the OperationForm of a
 * thing, `columns`: the names of its fields by column, `create`: of that of a new one, `note`: what stands below, `move`: puts a thing before or after the next one, `read`: reads more
 * properties of its form, `find`: stands in place of the filter, `actions`: what else is done with a thing, `none`: is said where there are none
 */
export class EditTable extends Component {
  state = { wanted: '', isAll: false, page: 0, ...known.get(this.props.name) };

  async componentDidMount() {
    const { items, peopleOf } = this.props;
    if (peopleOf) this.setState({ names: await readNames(items.flatMap(peopleOf).filter(Boolean)) });
  }

  keep(some) {
    this.setState(some);
    const { wanted, isAll, page } = { ...this.state, ...some };
    known.set(this.props.name, { wanted, isAll, page });
  }

  close = () => {
    const { editing } = this.state;
    this.setState({ editing: undefined }, () => focusOn(this.idOf(editing)));
  };

  async open(key, item) {
    const { name, read } = this.props;
    const control = `#${name}-table :is(tr.editing, .group) :is(input, select, textarea)`;
    const more = item && (await read?.(item).catch(({ message }) => say(message)));
    this.setState({ editing: key, more }, () => document.querySelector(control)?.focus());
  }

  idOf = (key) => `edit-${this.props.name}-${key}`.replaceAll(/\s/g, '-');

  render(properties, { wanted, isAll, page, editing, more, names }) {
    const { name, title, one, items, heads, cells, edit, columns = [], create } = properties;
    const { note, move, find, actions } = properties;
    const { keyOf = (item) => item.name, isOff = () => false } = properties;
    const { many = `${one}s`, none = `There is no ${one} yet.` } = properties;
    const words = wanted.toLowerCase();
    const active = isAll ? items : items.filter((item) => !isOff(item));
    const found = active.filter((item) =>
      `${keyOf(item)} ${item.description ?? ''} ${item.real_name ?? ''}`.toLowerCase().includes(words),
    );
    const last = Math.max(0, Math.ceil(found.length / ROWS) - 1);
    const current = Math.min(page, last);
    const form = (properties, focus) =>
      html`<${OperationForm} ...${{ focus, onClose: this.close, ...properties }} />`;
    const arrow = (item, next, to, icon) => {
      if (next === undefined) return undefined;
      const id = `${this.idOf(keyOf(item))}-${to}`;
      return html`<button type="button" class="tiny quiet only" id=${id} aria-label=${`Move ${one} ${keyOf(item)} ${to}`} onClick=${() => move(item, next, id)}><${Icon} name=${icon} /></button>`;
    };
    const arrows = (item) => {
      const at = found.indexOf(item);
      if (move === undefined || words !== '') return undefined;
      return [arrow(item, found[at - 1], 'up', 'up'), arrow(item, found[at + 1], 'down', 'downwards')];
    };
    const row = (item) => {
      const key = keyOf(item);
      const own = edit?.(item);
      const shown = cells(item, names);
      const submit = `Save ${one.split(' ').at(-1)}`;
      const about = { name, label: `Edit ${key}`, submit, row: shown.map((cell, at) => [cell, columns[at]]) };
      if (editing === key) return form({ key, ...about, ...own, ...more }, this.idOf(key));
      return html`<tr key=${key}>${shown.map((cell, index) => html`<td class=${`${isOff(item) ? 'off' : ''} ${heads[index].startsWith('#') ? 'right' : ''} ${index > 0 ? 'soft' : ''}`} dir="auto">${cell}</td>`)}
        <td>${[arrows(item), actions?.(item)]}${own && html`<button type="button" class="tiny quiet" id=${this.idOf(key)} aria-label=${`Edit ${key}`} onClick=${() => this.open(key, item)}><${Icon} name="pen" />Edit</button>`}</td></tr>`;
    };
    const isNew = editing === NEW;
    const step = (text, next) =>
      next >= 0 &&
      next <= last &&
      html`<button type="button" onClick=${() => this.keep({ page: next })}>${text}</button>`;
    return html`<section id=${`${name}-table`} aria-label=${title}>
      <div class="tools">${find ?? (items.length > 0 && html`<div class="field"><label class="sr" for=${`${name}-filter`}>Filter: ${title}</label><input id=${`${name}-filter`} type="search" placeholder=${`Filter ${title.toLowerCase()}`} value=${wanted} onInput=${({ target }) => this.keep({ wanted: target.value, page: 0 })} /></div>`)}
        <span class="soft num" role="status">${items.length === 0 ? '' : found.length === items.length ? counted(items.length, one, many) : `${number(found.length)} of ${number(items.length)}`}</span>
        ${items.some(isOff) && html`<label class="check"><input type="checkbox" checked=${isAll} onChange=${({ target }) => this.keep({ isAll: target.checked })} /> Include inactive</label>`}
        ${create && html`<button type="button" class="push" id=${this.idOf(NEW)} aria-expanded=${isNew} onClick=${() => (isNew ? this.close() : this.open(NEW))}><${Icon} name="plus" />New ${one}</button>`}</div>
      ${isNew && html`<div class="group">${form({ name: `new-${name}`, label: `New ${one}`, submit: 'Create', isNew: true, ...create }, this.idOf(NEW))}</div>`}
      ${items.length === 0 ? html`<p class="soft">${none}</p>` : html`<${Table} caption=${title} heads=${[...heads, '']} rows=${found.slice(current * ROWS, (current + 1) * ROWS).map(row)} />`}
      ${last > 0 && html`<nav class="pages" aria-label=${`Pages of ${title}`}>${step('Previous', current - 1)}<span class="num">${current * ROWS + 1} to ${Math.min((current + 1) * ROWS, found.length)} of ${number(found.length)}</span>${step('Next', current + 1)}</nav>`}
      ${note && html`<p class="soft small">${note}</p>`}</section>`;
  }
}

/** How many bugs a `query` finds, read when it is shown. */
export const Count = ({ query }) =>
  html`<${Reading} read=${() => rest(`bug?${query}&count_only=1`)}>${(found) => html`<span class="num">${found?.bug_count}</span>`}<//>`;

/** The address of a part of administration. */
export const adminUrl = (tab, more = {}) => `admin?${new URLSearchParams({ tab, ...more })}`;

/** Where one is in administration. */
export const Crumbs = ({ tab, title }) =>
  html`<div class="crumbs"><a href="admin">Administration</a><span aria-hidden="true">/</span><a href=${adminUrl(tab)}>${title}</a></div>`;

/** What only the command can do, with the command. */
export const ByCommand = ({ what, command }) =>
  html`<p class="soft small">${what}: <code>npm run admin -- ${command}</code></p>`;
