import {
  changedFields,
  fieldsOf,
  inputValue,
  isOpen,
  isShown,
  names,
  readChoices,
  sentValue,
} from './bug-fields.js';
import { html, tellSaved } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { Discard, DraftForm } from './form.js';
import { Check, Field } from './inputs.js';
import { newKey, rest, send } from './rest.js';
import { mayChange } from './rights.js';
import { Change, Comment } from './timeline.js';
import { Uploads } from './uploads.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true };
export const NEW_CC = { name: 'cc', label: 'Add to CC', kind: 'people' };
const WORKED = { name: 'work_time', label: 'Hours worked', kind: 'number' };
const COMMENT = { name: 'comment', label: 'Comment', kind: 'long', rows: 6 };

/** Resolution and duplicate are changed by who changes the status. */
const nameOfRight = (name) => (name === 'resolution' || name === 'dupe_of' ? 'status' : name);

/** Entries that are read to say what others did meanwhile. */
const MEANWHILE = 25;

/**
 * A comment on a bug, changes of its fields, and attachments, which are saved together. Only what was changed is sent, on the
 * condition that the bug has not changed since it was read.
 *
 * `bug` with `bugless_version`, `changes` of its history, `hasFields`: whether the fields are shown at once, `written`: a
 * quotation, and whether it is private
 */
export class EditForm extends DraftForm {
  constructor(properties) {
    super(properties);
    this.state = { ...this.state, bug: properties.bug, choices: undefined, meanwhile: undefined };
  }

  get subject() {
    return String(this.props.bug.id);
  }

  isConfidential({ isPrivate }) {
    return isPrivate || this.props.bug.groups.length > 0;
  }

  emptyContent() {
    return { comment: '', isPrivate: false, given: {}, flags: {}, leaving: [], key: newKey() };
  }

  isChanged({ comment, given, flags, leaving }) {
    return comment.trim() !== '' || [given, flags, leaving].some((one) => Object.keys(one).length > 0);
  }

  componentDidMount() {
    super.componentDidMount();
    const { given, flags, leaving } = this.state.content;
    const isDrafted = [given, flags, leaving].some((one) => Object.keys(one).length > 0);
    if (this.props.hasFields || isDrafted) this.openFields('input-summary');
    else this.write();
  }

  componentDidUpdate({ written, hasFields }) {
    if (this.props.written !== written) this.write();
    if (this.props.hasFields && !hasFields) this.openFields('input-summary');
  }

  /** Adds the quotation to the comment, which is as private then as what it quotes. */
  write() {
    const { text = '', isPrivate = false } = this.props.written ?? {};
    const { comment, isPrivate: wasPrivate } = this.state.content;
    const next = comment === '' ? text : `${comment.trimEnd()}\n\n${text}`;
    if (isPrivate && !wasPrivate) this.setPrivate(true, { comment: next });
    else if (text !== '') this.change({ comment: next });
    this.setState({}, () => this.focus('input-comment'));
  }

  /** Reads what the fields need, and goes to one of them. */
  async openFields(id) {
    try {
      const { bug, user, onFields } = this.props;
      const product = this.state.content.given.product ?? bug.product;
      this.setState({ choices: await readChoices(product, user.name) }, () =>
        // Who may not change it goes to the comment.
        this.focus(document.getElementById(id) === null ? 'input-comment' : id),
      );
      onFields?.(true);
    } catch (problem) {
      this.showProblem(problem);
    }
  }

  /** The fields of the form without those of flags, CC and comment; [] while they are not shown. */
  fields() {
    const { choices } = this.state;
    if (choices === undefined) return [];
    const { user, bug } = this.props;
    const all = [SUMMARY, ...fieldsOf(choices, this.before(), user.rights)];
    return all.filter(({ name }) => mayChange(nameOfRight(name), { bug, user }));
  }

  /** The values of the bug, as inputs have them. */
  before() {
    const { bug } = this.state;
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
    return { ...this.before(), cc: '', flags: '', attachments: '', work_time: '', ...given, comment };
  }

  async set(name, value) {
    const given = { ...this.state.content.given, [name]: value };
    const before = { ...this.before(), cc: '' }[name] ?? '';
    if (name !== 'product' && String(value) === String(before)) delete given[name];
    if (name === 'product') {
      // Values of the former product, unless the new one has them, too.
      const choices = await readChoices(value, this.props.user.name).catch((problem) =>
        this.showProblem(problem),
      );
      if (choices === undefined) return;
      this.setState({ choices });
      for (const [field, list] of [
        ['component', 'components'],
        ['version', 'versions'],
        ['target_milestone', 'milestones'],
      ]) {
        const isThere = choices.product[list].some((one) => one.name === this.before()[field]);
        given[field] = isThere ? this.before()[field] : '';
      }
      if (given.target_milestone === '') given.target_milestone = choices.product.default_milestone;
    }
    this.change({ given });
  }

  /** The fields that are sent, by their names. */
  changes() {
    const { bug, choices, content } = this.state;
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
    if (content.given.work_time) sent.work_time = content.given.work_time;
    return sent;
  }

  flagTypes() {
    const { choices } = this.state;
    const { component } = this.values();
    return choices?.product.components.find(({ name }) => name === component)?.flag_types.bug ?? [];
  }

  async send() {
    const { content, uploads } = this.state;
    const { comment, isPrivate } = content;
    const isAlone = comment.trim() !== '' && Object.keys(this.changes()).length === 0;
    if (isAlone && uploads.length > 0 && Boolean(uploads[0].isPrivate) === isPrivate) {
      await this.sendUploads(this.props.bug.id, comment);
    } else {
      await this.save();
      await this.sendUploads(this.props.bug.id);
    }
    this.isDone = true;
    tellSaved('Saved.', this.props.focus);
  }

  /** Saves what is not a file; a comment alone by a request that may be repeated. */
  async save() {
    const { bug, content } = this.state;
    const { comment, isPrivate, key } = content;
    const changes = this.changes();
    const hasComment = comment.trim() !== '';
    try {
      if (Object.keys(changes).length > 0) {
        const body = hasComment ? { ...changes, comment: { body: comment, is_private: isPrivate } } : changes;
        await send('PUT', `bug/${bug.id}`, body, { 'If-Match': `"${bug.bugless_version}"` });
      } else if (hasComment) {
        const body = { comment, is_private: isPrivate };
        await send('POST', `bug/${bug.id}/comment`, body, { 'Idempotency-Key': key });
      } else if (this.state.uploads.length === 0) throw new Error('There is nothing to save.');
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      await this.readMeanwhile();
      throw new Error(
        'Others changed this bug while you wrote. Nothing is saved yet: see below, then save again.',
      );
    }
    this.clear();
  }

  /** Reads the bug again, and what was done since it was read. What was entered stays. */
  async readMeanwhile() {
    const { bug, content } = this.state;
    const [found, history, { bugs }] = await Promise.all([
      rest(`bug/${bug.id}?include_fields=_default,bugless_version`),
      rest(`bug/${bug.id}/history?order=newest&limit=${MEANWHILE}`),
      rest(`bug/${bug.id}/comment?order=newest&limit=${MEANWHILE}`),
    ]);
    const nameOf = (change) => JSON.stringify(change);
    const known = new Set(this.props.changes.map(nameOf));
    const count = Number(bug.bugless_version.split('.')[1]);
    const meanwhile = {
      changes: history.bugs[0].history.reverse().filter((change) => !known.has(nameOf(change))),
      comments: Object.values(bugs)[0].comments.filter((comment) => comment.count >= count),
    };
    this.setState({ bug: found.bugs[0], meanwhile });
    // What others entered, too, is no change any more.
    const before = this.before();
    const given = Object.fromEntries(
      Object.entries(content.given).filter(([name, value]) => String(before[name] ?? '') !== String(value)),
    );
    this.change({ given });
  }

  /** The input of a field, with what is wrong with it. */
  field(one) {
    const { problems } = this.state;
    return html`<${Field} key=${one.name} field=${one} value=${this.values()[one.name] ?? ''} problem=${problems[one.name]} onChange=${(value) => this.set(one.name, value)} />`;
  }

  /** What went wrong with no field in particular, and what others did meanwhile. */
  alerts() {
    const { names: people, bugs, attachments } = this.props;
    const { problem, meanwhile } = this.state;
    return html`
      ${problem !== '' && html`<p role="alert" id="form-problem" tabindex="-1">${problem}</p>`}
      ${
        meanwhile &&
        html`<section class="meanwhile" aria-label="Meanwhile">
        ${meanwhile.changes.map((change) => html`<${Change} change=${change} names=${people} />`)}
        ${meanwhile.comments.map((comment) => html`<${Comment} ...${{ comment, names: people, bugs, attachments }} />`)}
      </section>`
      }`;
  }

  /** The inputs of the flags, and of the people on CC. */
  flags() {
    const { content, bug, problems } = this.state;
    return html`<${FlagInputs} ...${{ flags: bug.flags ?? [], types: this.flagTypes(), given: content.flags, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />`;
  }

  leaving() {
    const { content, bug } = this.state;
    return html`<${Leaving} cc=${this.leavable(bug.cc)} leaving=${content.leaving} onChange=${(leaving) => this.change({ leaving })} />`;
  }

  /** Who may be taken off CC: others only by who may change the assignee, too. */
  leavable(cc) {
    const { user, bug } = this.props;
    return mayChange('assigned_to', { bug, user }) ? cc : cc.filter((login) => login === user.name);
  }

  render({ user }, { content, choices, uploads, problems, isSending }) {
    const { insider, time_tracker } = user.rights;
    return html`<form class=${choices ? 'edit with-fields' : 'edit'} aria-label="Comment and changes" ...${this.handlers()}>
      ${this.alerts()}
      <${Field} field=${COMMENT} value=${content.comment} problem=${problems.comment} onChange=${(comment) => this.change({ comment })} />
      ${insider && html`<${Check} name="private" label="Private" value=${content.isPrivate} onChange=${(isPrivate) => this.setPrivate(isPrivate)} />`}
      <${Uploads} ...${{ uploads, isInsider: insider, problem: problems.attachments, onAdd: (files) => this.add(files), onChange: (next) => this.setUploads(() => next) }} />
      ${
        choices &&
        html`<fieldset class="grid"><legend>Fields</legend>
        ${this.fields()
          .filter((one) => isShown(one, choices, this.values()))
          .map((one) => this.field(one))}
        ${time_tracker && this.field(WORKED)}
        ${this.field(NEW_CC)}
        ${this.leaving()}
      </fieldset>
      ${this.flags()}`
      }
      <div class="buttons">
        <button type="submit" aria-disabled=${isSending} title="Ctrl+Enter">${isSending ? 'Saving …' : 'Save'}</button>
        ${choices === undefined && html`<button type="button" class="plain" onClick=${() => this.openFields('input-summary')}>Change fields</button>`}
        <${Discard} text=${content.comment} files=${uploads.length} onDiscard=${() => this.giveUp()} />
      </div>
    </form>`;
  }

  giveUp() {
    this.discard();
    this.props.onFields?.(false);
    this.props.onClose();
  }
}

/** The people on CC, to be removed. */
const Leaving = ({ cc, leaving, onChange }) =>
  cc.length > 0 &&
  html`<details class="leaving"><summary>Remove from CC (${cc.length})</summary>
    ${cc.map((login) => html`<${Check} key=${login} name=${`cc-${login}`} label=${login} value=${leaving.includes(login)} onChange=${(isLeaving) => onChange(isLeaving ? [...leaving, login] : leaving.filter((one) => one !== login))} />`)}
  </details>`;
