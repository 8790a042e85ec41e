import { html, tellSaved } from './elements.js';
import { Form, FormProblem } from './form.js';
import { send as sendTo } from './rest.js';

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

/** Check boxes that have room in a column. */
const FEW = 6;
const isWide = ({ kind, options }) => kind === 'long' || (kind === 'checks' && options.length > FEW);
const isBox = ({ kind }) => kind === 'check';

/**
 * A form of one operation of the interface.
 *
 * `name`: what the ids of its inputs begin with, `fields`: as inputs.js has them; `values`: what they begin with, `isNew`: whether all
 * values are sent, else those that differ; `send`: sends them; without it they go to `path`, with what is there `also`; `done`: what is
 * said then, or `onDone`: is called then; `isMinor`: whether the page has another one, `problemAt`: the field of a problem that names
 * none, `row`: in place of which row it stands, `children`: further controls
 */
export class OperationForm extends Form {
  state = { ...this.state, values: { ...this.props.values } };

  idOf(field) {
    return this.props.name === undefined ? field : `${this.props.name}-${field}`;
  }

  values() {
    return Object.fromEntries(this.props.fields.map(({ name }) => [name, this.state.values[name] ?? '']));
  }

  set(name, value) {
    this.setState({ values: { ...this.state.values, [name]: value } });
  }

  async send() {
    const { fields, values: before = {}, isNew, path, also, done, focus, onDone } = this.props;
    const { send = (body) => sendTo(isNew ? 'POST' : 'PUT', path, { ...also, ...body }) } = this.props;
    const { values } = this.state;
    const isSent = ({ name }) => (isNew ? (values[name] ?? '') !== '' : values[name] !== before[name]);
    await send(Object.fromEntries(fields.filter(isSent).map(({ name }) => [name, values[name]])));
    if (onDone !== undefined) await onDone();
    else tellSaved(typeof done === 'function' ? done(values) : done, focus);
  }

  /** Its fields in the columns of a table, in place of a row: `row` has what each cell shows, and the names of the fields that stand there instead. */
  cells({ row, fields, label, submit, effect, onClose }, { problem, isSending }) {
    const { onKeyDown, ...handlers } = this.handlers();
    const form = this.idOf('form');
    const inputs = (names) =>
      names.map((name) => this.field({ ...fields.find((one) => one.name === name), form }));
    return html`<tr class="editing" aria-label=${label} onKeyDown=${onKeyDown}>
      ${row.map(([cell, names]) => html`<td dir="auto">${names ? html`<div class="stack">${inputs(names.split(' '))}</div>` : cell}</td>`)}
      <td><form id=${form} ...${handlers}><button type="submit" class="tiny accent" aria-label=${submit} aria-disabled=${isSending}>Save</button><button type="button" class="tiny quiet" onClick=${onClose}>Cancel</button></form></td></tr>
      <tr class="editing"><td colspan=${row.length + 1}><${FormProblem} text=${problem} id=${this.idOf('problem')} />${effect && html`<p class="soft small">${effect}</p>`}</td></tr>`;
  }

  render(properties, { problem, isSending }) {
    if (properties.row) return this.cells(properties, this.state);
    const { fields, label, submit = 'Save', effect, isMinor, onClose, children } = properties;
    const inputs = (some) => some.map((one) => this.field(one));
    const [boxes, controls] = [fields.filter(isBox), fields.filter((one) => !isBox(one))];
    const ticks = boxes.length > 0 && html`<div class="line">${inputs(boxes)}</div>`;
    const isFirst = boxes.length > 0 && boxes[0] === fields[0];
    return html`<form class="form" aria-label=${label} ...${this.handlers()}>
      <${FormProblem} text=${problem} id=${this.idOf('problem')} />
      ${isFirst && ticks}
      <div class="fit">${inputs(controls.filter((one) => !isWide(one)))}</div>
      ${inputs(controls.filter(isWide))}
      ${!isFirst && ticks}
      ${children}
      <div class="line"><button type="submit" class=${onClose || isMinor ? 'accent' : 'primary'} aria-disabled=${isSending}>${submit}</button>${onClose && html`<button type="button" class="quiet" onClick=${onClose}>Cancel</button>`}${effect && html`<p class="soft small effect">${effect}</p>`}</div>
    </form>`;
  }
}
