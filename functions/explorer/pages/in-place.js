import { isOpen } from './bug-fields.js';
import { EditForm, NEW_CC } from './edit.js';
import { html } from './elements.js';
import { Field, inputId } from './inputs.js';

/** The fields that are changed together with a field. */
const TOGETHER = { status: ['status', 'resolution', 'dupe_of'] };
const DUPLICATE = 'DUPLICATE';

/** The states that a bug can get: each status with the resolutions that it can have, as `RESOLVED FIXED`. */
function statesOf([status, resolution], choices, before) {
  const states = status.options.flatMap((name) => {
    if (isOpen(choices, name)) return [[name, '']];
    // Another closed status keeps the resolution.
    const isKept = name !== before.status && !isOpen(choices, before.status);
    const resolutions = isKept ? [before.resolution] : resolution.options.filter(Boolean);
    return resolutions.map((one) => [name, one]);
  });
  return new Map(states.map(([name, one]) => [stateText(name, one), { status: name, resolution: one }]));
}

const stateText = (status, resolution) => `${status} ${resolution}`.trim();

/**
 * A field of a bug, changed where it is shown, and saved alone.
 *
 * `name` of the field, its `label`, `focus`: the id of what gets the focus afterwards, `onClose`
 */
export class InPlace extends EditForm {
  get hasDraft() {
    return false;
  }

  async componentDidMount() {
    const { name } = this.props;
    await this.openFields(inputId(name));
    document.getElementById(inputId(name))?.select?.();
  }

  componentDidUpdate() {}

  fields() {
    const { name } = this.props;
    const shown = TOGETHER[name] ?? [name];
    return super.fields().filter((one) => shown.includes(one.name));
  }

  inputs() {
    const { name } = this.props;
    if (name === 'flags') return this.flags();
    if (name === 'cc') return [this.field(NEW_CC), this.leaving()];
    const fields = this.fields();
    return name === 'status' ? this.stateInputs(fields) : this.field(fields[0]);
  }

  /** Status and resolution as one choice, and the bug of which this one is a duplicate. */
  stateInputs(fields) {
    const [before, values] = [this.before(), this.values()];
    const states = statesOf(fields, this.state.choices, before);
    const { problems } = this.state;
    const choose = (text) => {
      const { status, resolution } = states.get(text);
      const given = { ...this.state.content.given, status, resolution };
      for (const one of ['status', 'resolution']) if (given[one] === before[one]) delete given[one];
      this.change({ given });
    };
    const closed = isOpen(this.state.choices, values.status) ? '' : values.resolution;
    return html`
      <${Field} field=${{ name: 'status', label: 'Status', kind: 'select', options: [...states.keys()] }} value=${stateText(values.status, closed)} problem=${problems.status ?? problems.resolution} onChange=${choose} />
      ${closed === DUPLICATE && this.field(fields.at(-1))}`;
  }

  render(_, { choices, isSending }) {
    if (choices === undefined) return html`<span class="in-place">${this.alerts()} …</span>`;
    const close = (event) => event.key === 'Escape' && this.props.onClose();
    const { onKeyDown, onSubmit } = this.handlers();
    return html`<form class="in-place" aria-label=${`Change ${this.props.label}`} onSubmit=${onSubmit} onKeyDown=${(
      event,
    ) => {
      onKeyDown(event);
      close(event);
    }}>
      ${this.alerts()}
      ${this.inputs()}
      <div class="line">
        <button type="submit" class="small" aria-disabled=${isSending}>Save</button>
        <button type="button" class="plain small" onClick=${this.props.onClose}>Cancel</button>
      </div>
    </form>`;
  }
}
