import { Component } from 'preact';
import { html, Icon, LookingUp } from './elements.js';
import { rest } from './rest.js';

/** Letters after which users are looked up. */
const MIN_LETTERS = 3;

/** An input for a login, or for several with commas, which proposes users. */
class People extends LookingUp {
  type(text) {
    this.props.onChange(text);
    if (lastOf(text).length >= MIN_LETTERS) this.lookUpSoon(lastOf(text));
  }

  read = (match) =>
    rest(`user?${new URLSearchParams({ match, limit: 10, include_fields: 'name,real_name' })}`);

  render({ attributes, value }, { users = [] }) {
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
  html`<textarea rows=${rows} dir="auto" ...${attributes} value=${value} onInput=${(event) => onChange(event.target.value)} />`;

/** Inputs by kind. Each gets `attributes`, `value` and `onChange`. */
const INPUTS = {
  text: input('text', { dir: 'auto' }),
  list: input('text', { dir: 'auto' }),
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

/** What is wrong at a control. */
export const Problem = ({ id, text }) =>
  text === undefined
    ? undefined
    : html`<span class="problem" id=${`${id}-problem`} role="alert"><${Icon} name="warning" /><span>${text}</span></span>`;

/** A check box with its label. */
export const Check = ({ name, label, value, onChange }) => html`
  <label class="check"><input id=${inputId(name)} type="checkbox" checked=${value} onChange=${(event) => onChange(event.target.checked)} /> ${label}</label>`;

/** Check boxes of which several may be chosen. `options`: values, or `[value, what it is called]` */
export const Checks = ({ field, value, onChange }) =>
  html`<fieldset><legend>${field.label}</legend><div class="checks">
  ${field.options.map((option, index) => {
    const [one, text = one] = [option].flat();
    return html`<${Check} key=${one} name=${`${field.name}-${index}`} label=${text} value=${value.includes(one)} onChange=${(isOn) => onChange(isOn ? [...value, one] : value.filter((other) => other !== one))} />`;
  })}
</div></fieldset>`;

/**
 * An input with its label, and what is wrong with its value.
 *
 * `field`: `name`, `label`, `kind` of INPUTS, `check` or `checks`, and what its input needs; `value`: a text, of several a list
 */
export const Field = ({ field, value, problem, onChange }) => {
  const { name, label, kind, isRequired, hint, className, form, placeholder, ...rest } = field;
  const id = inputId(name);
  const wrong = html`<${Problem} id=${id} text=${problem} />`;
  if (kind === 'check') return html`<${Check} ...${{ name, label, value, onChange }} />${wrong}`;
  if (kind === 'checks') return html`<${Checks} ...${{ field, value, onChange }} />`;
  const described = [problem !== undefined && `${id}-problem`, hint && `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  const attributes = {
    ...{ id, form, ...(placeholder && { placeholder }) },
    class: className,
    required: isRequired,
    'aria-invalid': problem === undefined ? undefined : 'true',
    'aria-describedby': described || undefined,
  };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <${INPUTS[kind]} ...${{ ...rest, attributes, value, onChange }} />
    ${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
    ${wrong}
  </div>`;
};

/** Choices that a list shows at once; more are found by typing. */
const MAX_SHOWN = 200;

/**
 * Choices with descriptions, which an input narrows. `options`: `[value, description, what it is called]`, `chosen`: values; one of them where it
 * `isOne`; `isNarrowed`: whether by an input, also where they are few, `isFree`: whether what is typed is one, too; `name`: its id, and of form
 * controls
 */
export class Options extends Component {
  state = { wanted: '' };

  render(properties, { wanted }) {
    const { name, label, options, chosen, isOne = false, problem, onChange } = properties;
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (one) => words.every((word) => one.join(' ').toLowerCase().includes(word));
    const isOffered = (value) => options.some(([one]) => one === value);
    const typed = properties.isFree ? wanted.trim() : '';
    const others = [...chosen, typed].filter((one) => one && !isOffered(one)).map((one) => [one]);
    const found = [...others, ...options].filter(fits);
    const first = [...found.filter(([value]) => chosen.includes(value)), ...found.slice(0, MAX_SHOWN)];
    const shown = found.length <= MAX_SHOWN ? found : [...new Set(first)];
    const id = inputId(name);
    const isNarrowed = properties.isNarrowed || properties.isFree || options.length >= NARROWED_FROM;
    const change = (value, isOn) =>
      onChange(isOne ? [value] : isOn ? [...chosen, value] : chosen.filter((one) => one !== value));
    const take = (event) => {
      if (event.key !== 'Enter' || wanted === '' || shown.length === 0) return;
      event.preventDefault();
      change(shown[0][0], true);
    };
    const option = ([value, text, shown_ = value]) =>
      html`<label key=${value} class="check"><input type=${isOne ? 'radio' : 'checkbox'} name=${name} value=${value} required=${isOne} checked=${chosen.includes(value)} onChange=${({ target }) => change(value, target.checked)} /><span>${text ? html`<b dir="auto">${shown_}</b>` : html`<span dir="auto">${shown_}</span>`} ${text && html`<span class="soft" dir="auto">${text}</span>`}</span></label>`;
    return html`<div class="field" role="group" aria-labelledby=${`${id}-label`} aria-describedby=${problem && `${id}-problem`}><span class="label" id=${`${id}-label`}>${label}</span>
      ${isNarrowed && html`<div class="filter"><input id=${id} type="text" aria-label=${`${label}: narrow the choices`} placeholder=${`Narrow ${options.length}`} aria-invalid=${problem && 'true'} value=${wanted} onInput=${({ target }) => this.setState({ wanted: target.value })} onKeyDown=${take} /></div>`}
      <div class=${`options ${isNarrowed ? 'filtered' : ''}`} id=${isNarrowed ? undefined : id} tabindex="-1">${shown.map(option)}
        ${shown.length === 0 && html`<p class="check soft">Nothing is called so.</p>`}
        ${found.length > shown.length && html`<p class="check soft">${found.length - shown.length} more: narrow them</p>`}</div>
      <${Problem} id=${id} text=${problem} />
    </div>`;
  }
}
const NARROWED_FROM = 10;
