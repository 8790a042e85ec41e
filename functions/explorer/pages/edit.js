import {
  fieldsOf,
  flagTypesOf,
  inputValue,
  isOpen,
  isShown,
  readChoices,
  sentFields,
  sentState,
  statesOf,
  stateText,
} from './bug-fields.js';
import { html, Icon, names, State } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { Form, FormProblem } from './form.js';
import { Check, Field } from './inputs.js';
import { rest } from './rest.js';
import { mayChange } from './rights.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true };
const NEW_CC = { name: 'cc', label: 'Add to CC', kind: 'people' };
const WORKED = { name: 'work_time', label: 'Hours worked', kind: 'number' };
/** The parts of a product that a bug has, and the lists of these. */
const PARTS = { component: 'components', version: 'versions', target_milestone: 'milestones' };
/** The fields that are changed together with a field. */
const TOGETHER = { product: ['product', ...Object.keys(PARTS)], platform: ['platform', 'op_sys'] };
const DUPLICATE = 'DUPLICATE';

/**
 * Changes of a bug. Only what was changed is sent, on the condition that others did not change the same meanwhile.
 *
 * `bug` with `bugless_version`, `user` as whoami tells, `drafts`: what was entered into rows that were left, by `name`; `focus`: the id of
 * what gets it afterwards; `onSaved`, `onChange`, `onClose`. Subclasses have `changes()`, what is sent.
 */
class BugForm extends Form {
  state = { ...this.state, content: this.props.drafts.get(this.props.name) ?? this.emptyContent() };

  isChanged(content) {
    return JSON.stringify(content) !== JSON.stringify(this.emptyContent());
  }

  /** What is entered stays while another row is changed. */
  change(some) {
    const content = { ...this.state.content, ...some };
    this.setState({ content });
    this.props.drafts.set(this.props.name, content);
  }

  async componentDidMount() {
    super.componentDidMount();
    try {
      const product = this.state.content.given?.product ?? this.props.bug.product;
      this.setState({ choices: await readChoices(product) }, () => this.begin());
    } catch (problem) {
      this.showProblem(problem);
    }
  }

  get formId() {
    return `form-${this.props.name}`;
  }

  /** Goes to the first control. */
  begin() {
    const controls = 'input:checked, select, textarea, input';
    const control = document.getElementById(this.formId)?.querySelector(controls);
    control?.focus();
    if (control?.type === 'text') control.select();
  }

  async send() {
    const { name, drafts, onChange, onSaved, focus } = this.props;
    const { given = {}, comment = '' } = this.state.content;
    const changes = this.changes();
    const body = comment.trim() === '' ? changes : { ...changes, comment: { body: comment.trim() } };
    const mine = Object.values(given).join(' ');
    if (Object.keys(body).length > 0) await onChange(body, Object.keys(changes), mine);
    drafts.delete(name);
    this.isDone = true;
    await onSaved({ name, focus });
  }

  /** Gives up what was entered. */
  cancel = () => {
    this.props.drafts.delete(this.props.name);
    this.props.onClose();
  };
}

/** A field of a bug, changed where it is shown, and saved alone. `name` of the field, its `label` */
export class RowForm extends BugForm {
  emptyContent() {
    return { given: {}, flags: {}, leaving: [] };
  }

  /** The fields that are changed. */
  fields() {
    const { user, bug, name } = this.props;
    const isAlone = name === 'product' && this.values().product === bug.product;
    const wanted = isAlone ? [name] : (TOGETHER[name] ?? [name]);
    const all = [SUMMARY, WORKED, ...fieldsOf(this.state.choices, this.before(), user.rights)];
    return all.filter((one) => wanted.includes(one.name) && mayChange(one.name, { bug, user }));
  }

  /** The values of the bug, as inputs have them. */
  before() {
    const several = this.state.choices?.several ?? [];
    const kindOf = (name) => ({ kind: several.includes(name) ? 'multiple' : 'text' });
    const values = Object.entries(this.props.bug).map(([name, value]) => [
      name,
      inputValue(kindOf(name), value),
    ]);
    return { ...Object.fromEntries(values), cc: '', flags: '', work_time: '' };
  }

  values() {
    return { ...this.before(), ...this.state.content.given };
  }

  async set(name, value) {
    const given = { ...this.state.content.given, [name]: value };
    const before = this.before();
    if (name !== 'product' && String(value) === String(before[name] ?? '')) delete given[name];
    if (name === 'product') {
      // Values of the former product, unless the new one has them, too.
      const choices = await readChoices(value).catch((problem) => this.showProblem(problem));
      if (choices === undefined) return;
      this.setState({ choices });
      for (const [field, list] of Object.entries(PARTS)) {
        const isThere = choices.product[list].some((one) => one.name === before[field]);
        given[field] = isThere ? before[field] : '';
      }
      if (given.target_milestone === '') given.target_milestone = choices.product.default_milestone;
    }
    this.change({ given });
  }

  changes() {
    const { bug } = this.props;
    const { given, leaving, flags } = this.state.content;
    const values = this.values();
    const shown = this.fields().filter((field) => field.name !== 'cc' && isShown(field, values));
    const sent = sentFields(shown, this.before(), values);
    if (values.product !== bug.product) for (const name of Object.keys(PARTS)) sent[name] = values[name];
    const adding = names(given.cc ?? '');
    if (adding.length + leaving.length > 0) sent.cc = { add: adding, remove: leaving };
    const flagsSent = sentFlags(bug.flags ?? [], this.flagTypes(), flags);
    if (flagsSent.length > 0) sent.flags = flagsSent;
    return sent;
  }

  flagTypes() {
    return flagTypesOf(this.state.choices, this.values().component);
  }

  /** The inputs of the flags. */
  flags() {
    const { content, problems } = this.state;
    return html`<${FlagInputs} ...${{ flags: this.props.bug.flags ?? [], types: this.flagTypes(), given: content.flags, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />`;
  }

  /** Who is added to CC, and who is taken off: others only by who may change the assignee, too. */
  people() {
    const { user, bug } = this.props;
    const { leaving } = this.state.content;
    const cc = mayChange('assigned_to', { bug, user })
      ? bug.cc
      : bug.cc.filter((login) => login === user.name);
    return html`${this.field(NEW_CC)}${
      cc.length > 0 &&
      html`<details class="fold"><summary>Remove from CC (${cc.length})<${Icon} name="down" /></summary>
      ${cc.map((login) => html`<${Check} key=${login} name=${`cc-${login}`} label=${login} value=${leaving.includes(login)} onChange=${(isLeaving) => this.change({ leaving: isLeaving ? [...leaving, login] : leaving.filter((one) => one !== login) })} />`)}</details>`
    }`;
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
    return html`<form class="stack" id=${this.formId} aria-label=${`Change ${label}`} ...${this.handlers()}>
      <${FormProblem} text=${problem} />
      ${this.inputs()}
      <span class="line"><button type="submit" class="tiny accent" aria-disabled=${isSending}>Save</button>
        <button type="button" class="tiny quiet" onClick=${this.cancel}>Cancel <kbd aria-hidden="true">Esc</kbd></button></span>
    </form>`;
  }
}

/** The states that a bug can get, its resolutions, and what these need. */
export class StatusForm extends BugForm {
  emptyContent() {
    return { given: {}, comment: '' };
  }

  values() {
    const { status, resolution, dupe_of } = this.props.bug;
    return { status, resolution, dupe_of: String(dupe_of ?? ''), ...this.state.content.given };
  }

  changes() {
    const [{ bug }, values] = [this.props, this.values()];
    const isChanged = Object.keys(values).some((name) => values[name] !== String(bug[name] ?? ''));
    return isChanged ? sentState(values, values.dupe_of) : {};
  }

  set(name, value) {
    this.change({ given: { ...this.state.content.given, [name]: value } });
  }

  states() {
    return [...statesOf(this.state.choices, this.props.bug).values()];
  }

  /** The resolutions that a status can have. */
  resolutionsOf(wanted) {
    return this.states().flatMap(({ status, resolution }) => (status === wanted ? [resolution] : []));
  }

  /** Chooses a status with a resolution that fits: the one that is chosen, else the first. */
  chooseStatus(status) {
    const possible = this.resolutionsOf(status);
    const { resolution } = this.values();
    const fitting = possible.includes(resolution) ? resolution : possible[0];
    this.change({ given: { ...this.state.content.given, status, resolution: fitting } });
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
    return html`<form class="transition stack" id=${this.formId} aria-label="Change status" ...${this.handlers()}>
      <${FormProblem} text=${problem || problems.status || problems.resolution || ''} />
      <fieldset class="choices"><legend class="sr">Status</legend>${statuses.map((status) => radio('status', status, values.status, () => this.chooseStatus(status), html`<${State} bug=${{ status, is_open: isOpen(choices, status) }} />${status === this.props.bug.status && html`<span class="soft small">now</span>`}`))}</fieldset>
      ${isClosed && html`<fieldset class="choices"><legend class="sr">Resolution</legend>${this.resolutionsOf(values.status).map((one) => radio('resolution', one, values.resolution, () => this.set('resolution', one), one))}</fieldset>`}
      ${isClosed && values.resolution === DUPLICATE && html`<${Field} field=${{ name: 'dupe_of', label: 'Duplicate of', kind: 'text', hint }} value=${values.dupe_of ?? ''} problem=${problems.dupe_of} onChange=${(id) => this.name(id)} />`}
      <${Field} field=${{ name: 'status-comment', label: html`Comment <span class="soft">(optional)</span>`, kind: 'long', rows: 2 }} value=${content.comment} problem=${problems.comment} onChange=${(comment) => this.change({ comment })} />
      <span class="line"><button type="submit" class="primary" aria-disabled=${isSending}>${this.purpose(values)}</button>
        <button type="button" class="quiet" onClick=${this.cancel}>Cancel <kbd aria-hidden="true">Esc</kbd></button></span>
    </form>`;
  }
}
