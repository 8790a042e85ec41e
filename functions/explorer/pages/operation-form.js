import { Component } from 'preact';
import { counted, html, Icon, Notice, number, say, Table, tellSaved } from './elements.js';
import { Check, Field, inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';

/** The fields that errors of administration are about, by their code. */
const FIELDS_OF_CODES = {
  105: 'name',
  500: 'email',
  501: 'email',
  504: 'default_cc',
  700: 'name',
  701: 'name',
  702: 'name',
  703: 'description',
  704: 'version',
  705: 'default_milestone',
  800: 'name',
  801: 'name',
  802: 'description',
  803: 'user_regexp',
  1101: 'name',
  1102: 'description',
  1103: 'cc_list',
  1104: 'sortkey',
  1200: 'name',
};

/** Check boxes of which several may be chosen. */
const Checks = ({
  field: { name, label, options },
  value,
  onChange,
}) => html`<fieldset><legend>${label}</legend><div class="checks">
  ${options.map((one, index) => html`<${Check} key=${one} name=${`${name}-${index}`} label=${one} value=${value.includes(one)} onChange=${(isOn) => onChange(isOn ? [...value, one] : value.filter((other) => other !== one))} />`)}
</div></fieldset>`;

/**
 * A form of one operation of the interface: what is refused is said at its field.
 *
 * `name`: unique on the page, `fields`: as inputs.js has them, or of the kinds `check` and `checks`; `values`: what they begin with,
 * `isNew`: whether all values are sent, else those that differ; `send`: sends them, `done`: what is said then
 */
export class OperationForm extends Component {
  state = { values: { ...this.props.values }, problems: {} };

  idOf = (field) => `${this.props.name}-${field}`;

  submit = async (event) => {
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    // What was saved before says nothing of this.
    say('');
    const { fields, values: before = {}, isNew, send, done, focus } = this.props;
    const { values } = this.state;
    const isSent = ({ name }) => (isNew ? (values[name] ?? '') !== '' : values[name] !== before[name]);
    try {
      await send(Object.fromEntries(fields.filter(isSent).map(({ name }) => [name, values[name]])), before);
      tellSaved(typeof done === 'function' ? done(values) : done, focus);
    } catch (problem) {
      this.showProblem(problem);
    }
    this.isSending = false;
  };

  showProblem({ code, message }) {
    const own = FIELDS_OF_CODES[code];
    const names = this.props.fields.map(({ name }) => name);
    const values = Object.fromEntries(names.map((name) => [name, this.state.values[name] ?? '']));
    const field = names.includes(own) ? own : fieldOfProblem({ code, message }, values);
    const isKnown = names.includes(field);
    this.setState(
      { problems: isKnown ? { [field]: message } : {}, problem: isKnown ? undefined : message },
      () => document.getElementById(isKnown ? inputId(this.idOf(field)) : this.idOf('problem'))?.focus(),
    );
  }

  render({ fields, label, submit, effect, onClose }, { values, problems, problem }) {
    const input = (field) => {
      const properties = {
        value: values[field.name] ?? (field.kind === 'checks' ? [] : field.kind === 'check' ? false : ''),
        onChange: (value) => this.setState({ values: { ...values, [field.name]: value } }),
      };
      const named = { ...field, name: this.idOf(field.name) };
      if (field.kind === 'check') return html`<${Check} ...${{ ...named, ...properties }} />`;
      if (field.kind === 'checks') return html`<${Checks} ...${{ field: named, ...properties }} />`;
      return html`<${Field} ...${{ field: named, problem: problems[field.name], ...properties }} />`;
    };
    const isWide = ({ kind }) => kind === 'long' || kind === 'checks';
    const isBox = ({ kind }) => kind === 'check';
    return html`<form class="form" aria-label=${label} noValidate onSubmit=${this.submit}>
      ${problem && html`<${Notice} kind="bad" id=${this.idOf('problem')}><p>${problem}</p><//>`}
      ${effect && html`<p class="soft small">${effect}</p>`}
      <div class="two">${fields.filter((one) => !isWide(one) && !isBox(one)).map(input)}</div>
      ${fields.filter(isWide).map(input)}
      ${fields.some(isBox) && html`<div class="line">${fields.filter(isBox).map(input)}</div>`}
      <div class="line"><button type="submit" class=${onClose ? 'accent' : 'primary'}>${submit}</button>${onClose && html`<button type="button" class="quiet" onClick=${onClose}>Cancel</button>`}</div>
    </form>`;
  }
}

/** The key of a new thing. */
const NEW = 'new thing';
/** Rows that a table shows at once. */
const ROWS = 50;
/** What was filtered, and where one was, by table: it stays when the page is read again. */
const known = new Map();

/**
 * Things in a table, each of which is edited in its row. `name`: unique on the page, `title`, `one`: what a thing is called, `items`, `keyOf`,
 * `heads` and `cells` of a row, `isOff`: whether one is inactive, which is shown on request; `edit`: properties of the OperationForm of a
 * thing, `create`: of that of a new one, `note`: what stands below
 */
export class EditTable extends Component {
  state = { wanted: '', isAll: false, page: 0, ...known.get(this.props.name) };

  keep(some) {
    this.setState(some);
    const { wanted, isAll, page } = { ...this.state, ...some };
    known.set(this.props.name, { wanted, isAll, page });
  }

  close = () => {
    const { editing } = this.state;
    this.setState({ editing: undefined }, () => document.getElementById(this.idOf(editing))?.focus());
  };

  open(key) {
    this.setState({ editing: key }, () =>
      document
        .querySelector(
          `#${this.props.name}-table tr.editing :is(input, select, textarea), #${this.props.name}-table .group :is(input, select, textarea)`,
        )
        ?.focus(),
    );
  }

  idOf = (key) => `edit-${this.props.name}-${key}`.replaceAll(/\s/g, '-');

  render(
    {
      name,
      title,
      one,
      items,
      keyOf = (item) => item.name,
      heads,
      cells,
      isOff = () => false,
      edit,
      create,
      note,
    },
    { wanted, isAll, page, editing },
  ) {
    const words = wanted.toLowerCase();
    const active = isAll ? items : items.filter((item) => !isOff(item));
    const found = active.filter((item) =>
      `${keyOf(item)} ${item.description ?? ''} ${item.real_name ?? ''}`.toLowerCase().includes(words),
    );
    const last = Math.max(0, Math.ceil(found.length / ROWS) - 1);
    const current = Math.min(page, last);
    const form = (properties, focus) =>
      html`<${OperationForm} ...${{ focus, onClose: this.close, ...properties }} />`;
    const row = (item) => {
      const key = keyOf(item);
      if (editing === key)
        return html`<tr key=${key} class="editing"><td colspan=${heads.length + 1}>${form({ name, label: `Edit ${key}`, submit: 'Save', ...edit(item) }, this.idOf(key))}</td></tr>`;
      return html`<tr key=${key}>${cells(item).map((cell, index) => html`<td class=${`${isOff(item) ? 'off' : ''} ${heads[index].startsWith('#') ? 'right' : ''} ${index > 0 ? 'soft' : ''}`} dir="auto">${cell}</td>`)}
        <td>${edit && html`<button type="button" class="tiny quiet" id=${this.idOf(key)} aria-label=${`Edit ${key}`} onClick=${() => this.open(key)}><${Icon} name="pen" />Edit</button>`}</td></tr>`;
    };
    const isNew = editing === NEW;
    const step = (text, next) =>
      next >= 0 &&
      next <= last &&
      html`<button type="button" onClick=${() => this.keep({ page: next })}>${text}</button>`;
    return html`<section id=${`${name}-table`} aria-label=${title}>
      <div class="tools"><div class="field"><label class="sr" for=${`${name}-filter`}>Filter: ${title}</label><input id=${`${name}-filter`} type="search" placeholder=${`Filter ${title.toLowerCase()}`} value=${wanted} onInput=${({ target }) => this.keep({ wanted: target.value, page: 0 })} /></div>
        <span class="soft num" role="status">${found.length === items.length ? counted(items.length, one) : `${number(found.length)} of ${number(items.length)}`}</span>
        ${items.some(isOff) && html`<label class="check"><input type="checkbox" checked=${isAll} onChange=${({ target }) => this.keep({ isAll: target.checked })} /> also inactive ones</label>`}
        ${create && html`<button type="button" class="push" id=${this.idOf(NEW)} aria-expanded=${isNew} onClick=${() => (isNew ? this.close() : this.open(NEW))}><${Icon} name="plus" />New ${one}</button>`}</div>
      ${isNew && html`<div class="group">${form({ name: `new-${name}`, label: `New ${one}`, submit: 'Create', isNew: true, ...create }, this.idOf(NEW))}</div>`}
      <${Table} caption=${title} heads=${[...heads, '']} rows=${found.slice(current * ROWS, (current + 1) * ROWS).map(row)} />
      ${last > 0 && html`<nav class="pages" aria-label=${`Pages of ${title}`}>${step('Previous', current - 1)}<span class="num">${current * ROWS + 1} to ${Math.min((current + 1) * ROWS, found.length)} of ${number(found.length)}</span>${step('Next', current + 1)}</nav>`}
      ${note && html`<p class="soft small">${note}</p>`}</section>`;
  }
}

/** The address of a part of administration. */
export const adminUrl = (tab, more = {}) => `admin?${new URLSearchParams({ tab, ...more })}`;

/** Where one is in administration. */
export const Crumbs = ({ tab, title }) =>
  html`<div class="crumbs"><a href="admin">Administration</a><span aria-hidden="true">/</span><a href=${adminUrl(tab)}>${title}</a></div>`;

/** What only the command can do, with the command. */
export const ByCommand = ({ what, command }) =>
  html`<p class="soft small">${what}: <code>npm run admin -- ${command}</code></p>`;
