import { Component } from 'preact';
import { html, say, tellSaved } from './elements.js';
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
}) => html`<fieldset class="checks"><legend>${label}</legend>
  ${options.map((one, index) => html`<${Check} key=${one} name=${`${name}-${index}`} label=${one} value=${value.includes(one)} onChange=${(isOn) => onChange(isOn ? [...value, one] : value.filter((other) => other !== one))} />`)}
</fieldset>`;

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
    const { fields, values: before = {}, isNew, send, done } = this.props;
    const { values } = this.state;
    const isSent = ({ name }) => (isNew ? (values[name] ?? '') !== '' : values[name] !== before[name]);
    try {
      await send(Object.fromEntries(fields.filter(isSent).map(({ name }) => [name, values[name]])), before);
      tellSaved(typeof done === 'function' ? done(values) : done);
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

  render({ fields, label, submit }, { values, problems, problem }) {
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
    return html`<form class="edit" aria-label=${label} noValidate onSubmit=${this.submit}>
      ${problem && html`<p role="alert" id=${this.idOf('problem')} tabindex="-1">${problem}</p>`}
      <div class="grid">${fields.filter((one) => !isWide(one) && !isBox(one)).map(input)}</div>
      ${fields.filter(isWide).map(input)}
      ${fields.filter(isBox).map(input)}
      <div class="buttons"><button type="submit">${submit}</button></div>
    </form>`;
  }
}

/** A form that is folded: its summary says what it is for. */
export const Folded = ({ summary, ...form }) =>
  html`<details class="more"><summary>${summary}</summary><${OperationForm} label=${summary} ...${form} /></details>`;

/** The address of a part of administration. */
export const adminUrl = (tab, more = {}) => `admin?${new URLSearchParams({ tab, ...more })}`;
