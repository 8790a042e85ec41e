import { Discard, DraftForm, Writer } from './draft-form.js';
import { counted, html, Icon } from './elements.js';
import { FormProblem } from './form.js';
import { Field } from './inputs.js';
import { send } from './rest.js';
import { mayChange } from './rights.js';

const COMMENT = {
  name: 'comment',
  label: 'Comment',
  rows: 5,
  placeholder: 'Comment. Paste or drop files. > quotes, ``` for code.',
};
const NO_STATE = 'Leave as it is';

/**
 * A comment on a bug, with files and perhaps a new status; it stands open at the end of the bug. `bug` with `bugless_version`, `user` as
 * whoami tells, `onSaved`: is called when something was saved, `onChange` changes the bug
 */
export class Composer extends DraftForm {
  get subject() {
    return String(this.props.bug.id);
  }

  isConfidential({ isPrivate }) {
    return isPrivate || this.props.bug.groups.length > 0;
  }

  emptyContent() {
    return { comment: '', isPrivate: false, state: '', dupeOf: '' };
  }

  isChanged({ comment, state }) {
    return comment.trim() !== '' || state !== '';
  }

  componentDidMount() {
    super.componentDidMount();
    this.props.onMount(this);
    // The bar of a phone is away while this is in view.
    this.observer = new IntersectionObserver(([entry]) =>
      document.body.classList.toggle('writing', entry.isIntersecting),
    );
    this.observer.observe(document.getElementById('composer'));
    if (this.state.content.state !== '') this.readStates();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.observer.disconnect();
    document.body.classList.remove('writing');
  }

  /** Adds the quotation to the comment, which is as private then as what it quotes. */
  write({ text = '', isPrivate = false } = {}) {
    const { comment, isPrivate: wasPrivate } = this.state.content;
    const next = comment === '' ? text : `${comment.trimEnd()}\n\n${text}`;
    if (isPrivate && !wasPrivate) this.setPrivate(true, { comment: next });
    else if (text !== '') this.change({ comment: next });
    this.setState({}, () => {
      const area = document.getElementById('input-comment');
      area?.focus();
      area?.setSelectionRange(area.value.length, area.value.length);
      area?.scrollIntoView({ block: 'center' });
    });
  }

  /** Reads the states that the bug can get, when they may be wanted. */
  readStates = async () => {
    if (this.isRead === true || !mayChange('status', this.props)) return;
    this.isRead = true;
    try {
      const fields = await import('./bug-fields.js');
      this.setState({ fields, choices: await fields.readChoices(this.props.bug.product) });
    } catch {
      this.isRead = false;
    }
  };

  values() {
    const { comment, dupeOf } = this.state.content;
    return { comment, dupe_of: dupeOf, status: '', resolution: '', attachments: '' };
  }

  states() {
    return this.state.fields?.statesOf(this.state.choices, this.props.bug) ?? new Map();
  }

  /** What changes beside the comment. */
  changes() {
    const { state, dupeOf } = this.state.content;
    const given = this.states().get(state);
    return given === undefined ? {} : this.state.fields.sentState(given, dupeOf);
  }

  async send() {
    const { content, uploads } = this.state;
    const { bug, onSaved } = this.props;
    const { comment, isPrivate } = content;
    const changes = this.changes();
    const hasChanges = Object.keys(changes).length > 0;
    const hasComment = comment.trim() !== '';
    if (!hasComment && !hasChanges && uploads.length === 0) throw new Error('There is nothing to save.');
    const isWithFile =
      hasComment && !hasChanges && uploads.length > 0 && Boolean(uploads[0].isPrivate) === isPrivate;
    if (isWithFile) await this.sendUploads(bug.id, comment);
    else {
      if (hasChanges) await this.sendChanges(changes, hasComment && { body: comment, is_private: isPrivate });
      else if (hasComment) await this.sendComment({ body: comment, is_private: isPrivate });
      this.clear();
      await this.sendUploads(bug.id);
    }
    await onSaved(
      hasComment || uploads.length > 0 ? { isComment: true } : { focus: 'change-status', text: 'Saved.' },
    );
  }

  sendComment({ body: comment, is_private }) {
    const key = { 'Idempotency-Key': this.state.content.key };
    return send('POST', `bug/${this.props.bug.id}/comment`, { comment, is_private }, key);
  }

  /** Where the status that others set holds, the comment is sent alone. */
  async sendChanges(changes, comment) {
    const body = comment ? { ...changes, comment } : changes;
    const names = ['status', 'resolution', 'dupe_of'];
    if (await this.props.onChange(body, names, this.state.content.state)) return;
    this.change({ state: '' });
    if (comment) await this.sendComment(comment);
  }

  /** What the button does. */
  purpose() {
    const { content, uploads } = this.state;
    const files = uploads.length > 0 && counted(uploads.length, 'file');
    const comment = content.isPrivate ? 'Comment in private' : 'Comment';
    const state = content.state && `${content.state}${content.dupeOf && ` of ${content.dupeOf}`}`;
    return [content.comment.trim() === '' && (files || state) ? '' : comment, files, state]
      .filter(Boolean)
      .join(', ');
  }

  render({ bug, bugs, attachments, hasEnded }, { content, uploads, problems, problem, isSending }) {
    const states = [...this.states().keys()];
    const current = `${bug.status} ${bug.resolution}`.trim();
    const given = this.states().get(content.state);
    const foot = html`<span class="push line">
      ${mayChange('status', this.props) && html`<label class="sr" for="input-status">Status with this comment</label><select id="input-status" disabled=${hasEnded} onChange=${({ target }) => this.change({ state: target.value })}><option value="">${NO_STATE}</option>${states.filter((one) => one !== current).map((one) => html`<option value=${one} selected=${one === content.state}>${one}</option>`)}</select>`}
      <button type="submit" class="primary" aria-disabled=${isSending}>${this.purpose()} <kbd aria-hidden="true">Ctrl ⏎</kbd></button></span>`;
    return html`<form id="composer" aria-label="New comment" onFocusIn=${this.readStates} ...${this.handlers()}>
      ${this.offer()}
      <${FormProblem} text=${problem} />
      <${Writer} form=${this} field=${COMMENT} context=${{ bugs, attachments }} privacy="Private" foot=${foot}>
        ${given?.resolution === 'DUPLICATE' && html`<div class="files"><${Field} field=${{ name: 'dupe_of', label: 'Duplicate of', kind: 'text' }} value=${content.dupeOf} problem=${problems.dupe_of} onChange=${(dupeOf) => this.change({ dupeOf })} /></div>`}
        ${content.isPrivate && html`<p class="small for-whom"><${Icon} name="lock" /><span>Seen by insiders only.</span></p>`}<//>
      ${problems.status && html`<p class="problem" role="alert">${problems.status}</p>`}
      ${this.isUnsaved() && html`<p class="soft small line">${hasEnded ? 'Your text, files and choices stay in this tab.' : 'Draft kept in this tab.'} <${Discard} text=${content.comment} files=${uploads.length} onDiscard=${() => this.discard()} /></p>`}
    </form>`;
  }
}
