import { Component } from 'preact';
import { html } from './elements.js';
import { rest } from './rest.js';

/** When users are looked up: after so many characters, and when nothing was typed for so long, in ms. */
const MIN_LETTERS = 3;
const PAUSE_MS = 250;

/** An input for a login, or for several with commas, which proposes users. One request is made at a time. */
class People extends Component {
  state = { users: [] };

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  type(text) {
    this.props.onChange(text);
    clearTimeout(this.timer);
    this.wanted = lastOf(text);
    if (this.wanted.length >= MIN_LETTERS) this.timer = setTimeout(() => this.lookUp(), PAUSE_MS);
  }

  async lookUp() {
    if (this.isReading) return;
    this.isReading = true;
    const wanted = this.wanted;
    const query = new URLSearchParams({ match: wanted, limit: 10, include_fields: 'name,real_name' });
    const { users } = await rest(`user?${query}`).catch(() => ({ users: [] }));
    this.isReading = false;
    this.setState({ users });
    if (this.wanted !== wanted && this.wanted.length >= MIN_LETTERS) await this.lookUp();
  }

  render({ attributes, value }, { users }) {
    const list = `${attributes.id}-people`;
    const before = value.slice(0, value.length - lastOf(value).length);
    return html`
      <input ...${attributes} list=${list} autocomplete="off" spellcheck=${false} value=${value} onInput=${(event) => this.type(event.target.value)} />
      <datalist id=${list}>${users.map(({ name, real_name }) => html`<option value=${before + name}>${real_name}</option>`)}</datalist>`;
  }
}

/** The part of a text after the last comma. */
const lastOf = (text) => /[^,]*$/.exec(text)[0].trimStart();

const input =
  (type, more = {}) =>
  ({ attributes, value, onChange }) =>
    html`<input type=${type} ...${more} ...${attributes} value=${value} onInput=${(event) => onChange(event.target.value)} />`;

const Select = ({ attributes, value, onChange, options = [], isMultiple }) => html`
  <select ...${attributes} multiple=${isMultiple} onChange=${({ target }) => onChange(isMultiple ? [...target.selectedOptions].map((one) => one.value) : target.value)}>
    ${options.map((option) => html`<option value=${option} selected=${isMultiple ? value.includes(option) : option === value}>${option === '' ? '–' : option}</option>`)}
  </select>`;

const TextArea = ({ attributes, value, onChange, rows = 4 }) =>
  html`<textarea rows=${rows} ...${attributes} value=${value} onInput=${(event) => onChange(event.target.value)} />`;

/** Inputs by kind. Each gets `attributes`, `value` and `onChange`. */
const INPUTS = {
  text: input('text'),
  list: input('text'),
  number: input('text', { inputmode: 'decimal' }),
  date: input('date'),
  time: input('text', { placeholder: 'YYYY-MM-DD hh:mm' }),
  person: People,
  people: People,
  select: Select,
  multiple: (properties) => html`<${Select} ...${properties} isMultiple />`,
  long: TextArea,
};

/** The id of the input of a field. */
export const inputId = (name) => `input-${name}`;

/**
 * An input with its label, and what is wrong with its value.
 *
 * `field`: `name`, `label`, `kind` of INPUTS, and what its input needs; `value`: a text, of `multiple` a list
 */
export const Field = ({ field, value, problem, onChange }) => {
  const { name, label, kind, isRequired, ...rest } = field;
  const id = inputId(name);
  const attributes = {
    id,
    required: isRequired,
    'aria-invalid': problem === undefined ? undefined : 'true',
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  return html`<div class=${`field field-${kind}`}>
    <label for=${id}>${label}</label>
    <${INPUTS[kind]} ...${{ ...rest, attributes, value, onChange }} />
    ${problem !== undefined && html`<p class="problem" id=${`${id}-problem`}>${problem}</p>`}
  </div>`;
};

/** A check box with its label. */
export const Check = ({ name, label, value, onChange }) => html`
  <label class="check"><input id=${inputId(name)} type="checkbox" checked=${value} onChange=${(event) => onChange(event.target.checked)} /> ${label}</label>`;
