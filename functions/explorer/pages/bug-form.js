import {
  changedFields,
  fieldsOf,
  flagTypesOf,
  inputValue,
  isOpen,
  isShown,
  readChoices,
  sentValue,
} from './bug-fields.js';
import { html, Icon, names } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { DraftForm } from './form.js';
import { Check } from './inputs.js';
import { newKey } from './rest.js';
import { mayChange } from './rights.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true };
const NEW_CC = { name: 'cc', label: 'Add to CC', kind: 'people' };
const WORKED = { name: 'work_time', label: 'Hours worked', kind: 'number' };

/** Resolution and duplicate are changed by who changes the status. */
const nameOfRight = (name) => (name === 'resolution' || name === 'dupe_of' ? 'status' : name);

/**
 * Changes of fields of a bug. Only what was changed is sent, on the condition that others did not change the same meanwhile.
 *
 * `bug` with `bugless_version`, `user` as whoami tells, `drafts`: what was entered into rows that were left, by `name`; `onSaved`,
 * `onConflict`, `onClose`
 */
export class BugForm extends DraftForm {
  constructor(properties) {
    super(properties);
    const content = properties.drafts.get(properties.name) ?? this.state.content;
    this.state = { ...this.state, content, choices: undefined };
  }

  get subject() {
    return `${this.props.bug.id} ${this.props.name}`;
  }

  get hasDraft() {
    return false;
  }

  emptyContent() {
    return { given: {}, flags: {}, leaving: [], comment: '', key: newKey() };
  }

  isChanged({ given, flags, leaving, comment }) {
    return comment !== '' || [given, flags, leaving].some((one) => Object.keys(one).length > 0);
  }

  /** What is entered stays while another row is changed. */
  change(some) {
    super.change(some);
    this.props.drafts.set(this.props.name, { ...this.state.content, ...some });
  }

  async componentDidMount() {
    super.componentDidMount();
    const { bug } = this.props;
    try {
      const product = this.state.content.given.product ?? bug.product;
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
    const control = document
      .getElementById(this.formId)
      ?.querySelector('input:checked, select, textarea, input');
    control?.focus();
    if (control?.type === 'text') control.select();
  }

  /** The fields that can be changed. */
  fields() {
    const { choices } = this.state;
    if (choices === undefined) return [];
    const { user, bug } = this.props;
    const all = [SUMMARY, WORKED, ...fieldsOf(choices, this.before(), user.rights)];
    return all.filter(({ name }) => mayChange(nameOfRight(name), { bug, user }));
  }

  /** The values of the bug, as inputs have them. */
  before() {
    const { bug } = this.props;
    return Object.fromEntries(
      Object.entries(bug).map(([name, value]) => [name, inputValue(this.kindOf(name), value)]),
    );
  }

  kindOf(name) {
    const custom = this.state.choices?.custom.find((one) => one.name === name);
    return custom?.type === 3 ? { kind: 'multiple' } : { kind: 'text' };
  }

  values() {
    const { comment, given } = this.state.content;
    return { ...this.before(), cc: '', flags: '', work_time: '', ...given, comment };
  }

  async set(name, value) {
    const given = { ...this.state.content.given, [name]: value };
    const before = { ...this.before(), cc: '', work_time: '' }[name] ?? '';
    if (name !== 'product' && String(value) === String(before)) delete given[name];
    if (name === 'product') {
      // Values of the former product, unless the new one has them, too.
      const choices = await readChoices(value).catch((problem) => this.showProblem(problem));
      if (choices === undefined) return;
      this.setState({ choices });
      const lists = { component: 'components', version: 'versions', target_milestone: 'milestones' };
      for (const [field, list] of Object.entries(lists)) {
        const isThere = choices.product[list].some((one) => one.name === this.before()[field]);
        given[field] = isThere ? this.before()[field] : '';
      }
      if (given.target_milestone === '') given.target_milestone = choices.product.default_milestone;
    }
    this.change({ given });
  }

  /** The fields that are sent, by their names. */
  changes() {
    const { choices, content } = this.state;
    const { bug } = this.props;
    const [before, values] = [this.before(), this.values()];
    if (choices === undefined) return {};
    const shown = this.fields().filter((field) => isShown(field, choices, values));
    const changed = changedFields(shown, before, values).map(({ name, ...field }) => [
      name,
      sentValue({ name, ...field }, before[name] ?? '', values[name]),
    ]);
    const sent = Object.fromEntries(changed);
    if (values.product !== bug.product) {
      for (const name of ['component', 'version', 'target_milestone']) sent[name] = values[name];
    }
    // A closed status needs its resolution, also one that was chosen by default.
    const isClosed = !isOpen(choices, values.status);
    if (isClosed && values.resolution === 'DUPLICATE') {
      // `dupe_of` sets both; without it the response names what is missing.
      if (values.dupe_of !== '') {
        delete sent.status;
        delete sent.resolution;
      }
    } else if (isClosed && 'status' in sent) sent.resolution = values.resolution;
    const [adding, { leaving }] = [names(content.given.cc ?? ''), content];
    if (adding.length + leaving.length > 0) sent.cc = { add: adding, remove: leaving };
    const flags = sentFlags(bug.flags ?? [], this.flagTypes(), content.flags);
    if (flags.length > 0) sent.flags = flags;
    return sent;
  }

  flagTypes() {
    const { choices } = this.state;
    return choices === undefined ? [] : flagTypesOf(choices, this.values().component);
  }

  async send() {
    const { name, drafts, onSaved, focus } = this.props;
    await this.save();
    drafts.delete(name);
    this.isDone = true;
    await onSaved({ name, focus });
  }

  /** Saves what was changed. */
  async save() {
    const changes = this.changes();
    const comment = this.state.content.comment.trim();
    const body = comment === '' ? changes : { ...changes, comment: { body: comment } };
    const mine = Object.values(this.state.content.given).join(' ');
    if (Object.keys(body).length > 0) await this.saveAsSeen(this.props.bug, body, Object.keys(changes), mine);
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

  /** Escape leaves it, and keeps what was entered. */
  handlers() {
    const { onSubmit, onKeyDown } = super.handlers();
    return {
      onSubmit,
      onKeyDown: (event) => {
        onKeyDown(event);
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        this.props.onClose();
      },
    };
  }

  /** Gives up what was entered. */
  cancel = () => {
    this.props.drafts.delete(this.props.name);
    this.props.onClose();
  };
}
