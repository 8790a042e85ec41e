import { isOpen, statesOf, stateText } from './bug-fields.js';
import { BugForm } from './bug-form.js';
import { html, Icon, State } from './elements.js';
import { FormProblem } from './form.js';
import { Field } from './inputs.js';
import { rest } from './rest.js';

/** The fields that are changed together with a field. */
const TOGETHER = {
  product: ['product', 'component', 'version', 'target_milestone'],
  platform: ['platform', 'op_sys'],
};
const DUPLICATE = 'DUPLICATE';

/** A field of a bug, changed where it is shown, and saved alone. `name` of the field, its `label`, `focus`: the id of what gets the focus afterwards */
export class RowForm extends BugForm {
  fields() {
    const { name, bug } = this.props;
    const isAlone = name === 'product' && this.values().product === bug.product;
    const names = isAlone ? [name] : (TOGETHER[name] ?? [name]);
    return super.fields().filter((one) => names.includes(one.name));
  }

  inputs() {
    const { name } = this.props;
    if (name === 'flags') return this.flags();
    if (name === 'cc') return this.people();
    return this.fields().map((one) => this.field(one));
  }

  render({ label }, { choices, isSending, problem }) {
    if (choices === undefined)
      return html`<span>${problem ? html`<${FormProblem} text=${problem} />` : '…'}</span>`;
    return html`<form class="stack" id=${this.formId} noValidate aria-label=${`Change ${label}`} ...${this.handlers()}>
      <${FormProblem} text=${problem} />
      ${this.inputs()}
      <span class="line"><button type="submit" class="tiny accent" aria-disabled=${isSending}>Save</button>
        <button type="button" class="tiny quiet" onClick=${this.cancel}>Cancel <kbd aria-hidden="true">Esc</kbd></button></span>
    </form>`;
  }
}

/** The states that a bug can get, its resolutions, and what these need. */
export class StatusForm extends BugForm {
  fields() {
    return super.fields().filter(({ name }) => ['status', 'resolution', 'dupe_of'].includes(name));
  }

  states() {
    return [...statesOf(this.state.choices, this.props.bug).values()];
  }

  /** The resolutions that a status can have. */
  resolutionsOf(wanted) {
    return this.states().flatMap(({ status, resolution }) => (status === wanted ? [resolution] : []));
  }

  choose(status, resolution) {
    const { bug } = this.props;
    const given = { ...this.state.content.given, status, resolution };
    for (const one of ['status', 'resolution']) if (given[one] === bug[one]) delete given[one];
    this.change({ given });
  }

  /** A resolution that fits a status: the one that is chosen, else the first. */
  chooseStatus(status) {
    const possible = this.resolutionsOf(status);
    const { resolution } = this.values();
    this.choose(status, possible.includes(resolution) ? resolution : possible[0]);
  }

  /** Shows which bug is meant. */
  async name(id) {
    this.set('dupe_of', id);
    this.wanted = id;
    if (!/^\d+$/.test(id)) return this.setState({ original: undefined });
    const found = await rest(`bug/${id}?include_fields=id,summary,status`).catch(() => ({ bugs: [] }));
    if (this.wanted === id) this.setState({ original: found.bugs[0] });
  }

  /** What the button does. */
  purpose({ status, resolution, dupe_of: original }) {
    const { bug } = this.props;
    if (isOpen(this.state.choices, status))
      return bug.is_open ? `Change to ${status}` : `Reopen as ${status}`;
    if (resolution === DUPLICATE) return `Resolve as duplicate${original && ` of ${original}`}`;
    return bug.is_open ? `Resolve as ${resolution}` : `Change to ${stateText(status, resolution)}`;
  }

  render(_, { choices, content, problems, problem, isSending, original }) {
    if (choices === undefined) return html`<div class="transition"><${FormProblem} text=${problem} />…</div>`;
    const values = this.values();
    const statuses = [...new Set(this.states().map(({ status }) => status))];
    const isClosed = !isOpen(choices, values.status);
    const radio = (name, value, chosen, onChoose, content_) =>
      html`<label class="choice" key=${value}><input type="radio" name=${name} value=${value} checked=${value === chosen} onChange=${onChoose} /> ${content_}</label>`;
    const hint =
      original && html`<${Icon} name="check" /> ${original.id} ${original.summary} (${original.status})`;
    return html`<form class="transition stack" id=${this.formId} noValidate aria-label="Change status" ...${this.handlers()}>
      <${FormProblem} text=${problem || problems.status || problems.resolution || ''} />
      <fieldset class="choices"><legend class="sr">Status</legend>${statuses.map((status) => radio('status', status, values.status, () => this.chooseStatus(status), html`<${State} bug=${{ status, is_open: isOpen(choices, status) }} />${status === this.props.bug.status && html`<span class="soft small">now</span>`}`))}</fieldset>
      ${isClosed && html`<fieldset class="choices"><legend class="sr">Resolution</legend>${this.resolutionsOf(values.status).map((one) => radio('resolution', one, values.resolution, () => this.choose(values.status, one), one))}</fieldset>`}
      ${isClosed && values.resolution === DUPLICATE && html`<${Field} field=${{ name: 'dupe_of', label: 'Duplicate of', kind: 'text', hint }} value=${values.dupe_of ?? ''} problem=${problems.dupe_of} onChange=${(id) => this.name(id)} />`}
      <${Field} field=${{ name: 'status-comment', label: html`Comment <span class="soft">(optional)</span>`, kind: 'long', rows: 2 }} value=${content.comment} problem=${problems.comment} onChange=${(comment) => this.change({ comment })} />
      <span class="line"><button type="submit" class="primary" aria-disabled=${isSending}>${this.purpose(values)}</button>
        <button type="button" class="quiet" onClick=${this.cancel}>Cancel <kbd aria-hidden="true">Esc</kbd></button></span>
    </form>`;
  }
}
