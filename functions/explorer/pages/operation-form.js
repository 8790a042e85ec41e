import { Component } from 'preact';
import { focusOn, html, Notice, say, tellSaved } from './elements.js';
import { Check, Checks, Field, inputId } from './inputs.js';
import { fieldOfProblem, fieldsByCode } from './problems.js';
import { send as sendTo } from './rest.js';

/** The fields that errors of administration are about. */
const FIELDS_OF_CODES = fieldsByCode(
  'name 105 700 701 702 800 801 1101 1200, email 500 501, default_cc 504, description 703 802 1102, version 704, ' +
    'default_milestone 705, user_regexp 803, cc_list 1103, sortkey 1104',
);

const field =
  (kind) =>
  (name, label, more = {}) => ({ name, label, kind, ...more });
/** Fields of forms: `text(name, label, what else their inputs need)`. */
export const text = field('text');
export const box = field('check');
export const long = field('long');
export const select = field('select');
export const NAME = text('name', 'Name', { isRequired: true });
export const DESCRIPTION = long('description', 'Description', { rows: 2, isRequired: true });

/**
 * A form of one operation of the interface: what is refused is said at its field.
 *
 * `name`: what the ids of its inputs begin with, `fields`: as inputs.js has them, or of the kinds `check` and `checks`; `values`: what they
 * begin with, `isNew`: whether all values are sent, else those that differ; `send`: sends them; without it they go to `path`, with what is there `also`; `done`: what is said then, or `onDone`: is
 * called then; `isMinor`: whether the page has another one, `problemAt`: the field of a problem that names none, `children`: further controls
 */
export class OperationForm extends Component {
  state = { values: { ...this.props.values }, problems: {} };

  idOf = (field) => (this.props.name === undefined ? field : `${this.props.name}-${field}`);

  submit = async (event) => {
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    // What was saved before says nothing of this.
    say('');
    const { fields, values: before = {}, isNew, path, also, done, focus, onDone } = this.props;
    const { send = (body) => sendTo(isNew ? 'POST' : 'PUT', path, { ...also, ...body }) } = this.props;
    const { values } = this.state;
    const isSent = ({ name }) => (isNew ? (values[name] ?? '') !== '' : values[name] !== before[name]);
    try {
      await send(Object.fromEntries(fields.filter(isSent).map(({ name }) => [name, values[name]])), before);
      if (onDone !== undefined) await onDone();
      else tellSaved(typeof done === 'function' ? done(values) : done, focus);
    } catch (problem) {
      this.showProblem(problem);
    }
    this.isSending = false;
  };

  showProblem({ code, message }) {
    const own = FIELDS_OF_CODES[code];
    const names = this.props.fields.map(({ name }) => name);
    const values = Object.fromEntries(names.map((name) => [name, this.state.values[name] ?? '']));
    const found = names.includes(own) ? own : fieldOfProblem({ code, message }, values);
    const field = names.includes(found) ? found : this.props.problemAt;
    this.setState({ problems: field ? { [field]: message } : {}, problem: field ? undefined : message }, () =>
      focusOn(field ? inputId(this.idOf(field)) : this.idOf('problem')),
    );
  }

  onKeyDown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
    if (event.key === 'Escape') this.props.onClose?.();
  };

  render(
    { fields, label, submit = 'Save', effect, isMinor, onClose, children },
    { values, problems, problem },
  ) {
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
    const [boxes, controls] = [
      fields.filter(({ kind }) => kind === 'check'),
      fields.filter(({ kind }) => kind !== 'check'),
    ];
    const isWide = ({ kind, options }) => kind === 'long' || (kind === 'checks' && options.length > FEW);
    const ticks = boxes.length > 0 && html`<div class="line">${boxes.map(input)}</div>`;
    return html`<form class="form" aria-label=${label} noValidate onSubmit=${this.submit} onKeyDown=${this.onKeyDown}>
      ${problem && html`<${Notice} kind="bad" id=${this.idOf('problem')}><p>${problem}</p><//>`}
      ${fields[0]?.kind === 'check' && ticks}
      <div class="fit">${controls.filter((one) => !isWide(one)).map(input)}</div>
      ${controls.filter(isWide).map(input)}
      ${fields[0]?.kind !== 'check' && ticks}
      ${children}
      <div class="line"><button type="submit" class=${onClose || isMinor ? 'accent' : 'primary'}>${submit}</button>${onClose && html`<button type="button" class="quiet" onClick=${onClose}>Cancel</button>`}${effect && html`<p class="soft small effect">${effect}</p>`}</div>
    </form>`;
  }
}
/** Check boxes that have room in a column. */
const FEW = 6;
