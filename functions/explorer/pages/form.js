import { Component } from 'preact';
import { keepDraft, keepUploads, readDraft, readUploads, removeDraft } from './drafts.js';
import { html, say } from './elements.js';
import { inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { newKey } from './rest.js';
import { changedUpload, sendUpload, uploadsOf } from './uploads.js';

/**
 * A form whose content is kept as a draft until it is sent, and that asks before it is left.
 *
 * Subclasses have `subject` and `isConfidential`, and the methods `emptyContent`, `isChanged`, `values` (by name of the field,
 * for problems) and `send`. `properties.user`: the reader as whoami tells.
 */
export class DraftForm extends Component {
  constructor(properties) {
    super(properties);
    const { name } = properties.user;
    const draft = this.hasDraft ? readDraft(name, this.subject) : undefined;
    this.state = {
      content: { ...this.emptyContent(), ...draft },
      uploads: this.hasDraft ? readUploads(name, this.subject) : [],
      problems: {},
      problem: '',
      isSending: false,
    };
    this.askBeforeLeaving = (event) => {
      if (this.isUnsaved()) event.preventDefault();
    };
  }

  /** Whether what is entered is kept. */
  get hasDraft() {
    return true;
  }

  /** What the names of the fields begin with in the ids of their inputs. */
  get prefix() {
    return '';
  }

  componentDidMount() {
    addEventListener('beforeunload', this.askBeforeLeaving);
  }

  componentWillUnmount() {
    removeEventListener('beforeunload', this.askBeforeLeaving);
  }

  isUnsaved() {
    return !this.isDone && (this.isChanged(this.state.content) || this.state.uploads.length > 0);
  }

  /** Changes the content, and keeps it. What was sent before, and may have been written, has another key. */
  change(some) {
    const content = { ...this.state.content, key: newKey(), ...some };
    this.setState({ content });
    if (!this.hasDraft) return;
    const { name } = this.props.user;
    if (this.isChanged(content)) keepDraft(name, this.subject, content, this.isConfidential(content));
    else removeDraft(name, this.subject);
  }

  /** Makes what is sent private, with its files; a file is made public by itself. `some`: what else is changed */
  setPrivate(isPrivate, some = {}) {
    this.change({ ...some, isPrivate });
    if (!isPrivate) return;
    this.setUploads((uploads) => uploads.map((one) => changedUpload(one, { isPrivate })));
  }

  /** Begins anew: what was written was sent, or is given up. */
  clear() {
    this.change(this.emptyContent());
  }

  /** Gives up what was written; the files before the fields, so that none goes with what is written next. */
  discard() {
    this.setUploads(() => []);
    this.clear();
  }

  async submit(event) {
    event.preventDefault();
    // The state changes later, and the page is shown anew later: a second click would send again.
    if (this.isSending || this.isDone) return;
    this.isSending = true;
    // What was saved before says nothing of this.
    say('');
    this.setState({ isSending: true, problems: {}, problem: '' });
    try {
      await this.send();
    } catch (problem) {
      this.showProblem(problem);
    }
    this.isSending = false;
    this.setState({ isSending: false });
  }

  /** Shows a problem at its field, or above the form, and goes there. */
  showProblem(problem) {
    const field = fieldOfProblem(problem, this.values());
    const input = field === undefined ? null : document.getElementById(inputId(this.prefix + field));
    if (input === null) this.setState({ problem: problem.message }, () => this.focus('form-problem'));
    else this.setState({ problems: { [field]: problem.message } }, () => input.focus());
  }

  /** `change` returns the uploads in place of those that it is given. */
  setUploads(change) {
    this.setState((state) => {
      const uploads = change(state.uploads);
      if (this.hasDraft) keepUploads(this.props.user.name, this.subject, uploads);
      return { uploads };
    });
  }

  /** Adds files that were chosen, dropped or pasted. */
  async add(files) {
    // The browser empties the list after the event.
    const chosen = [...files];
    try {
      const uploads = await uploadsOf(chosen);
      const { isPrivate } = this.state.content;
      const added = uploads.map((one) => ({ ...one, isPrivate }));
      this.setUploads((before) => [...before, ...added]);
      this.setState({ problems: {} });
    } catch ({ message }) {
      this.setState({ problems: { attachments: message } });
    }
  }

  /** Sends the files, a comment with the first of them; each leaves the form when it is attached. */
  async sendUploads(bug, comment = '') {
    for (const [index, upload] of this.state.uploads.entries()) {
      const first = index === 0 && comment !== '' ? { comment, commentKey: this.state.content.key } : {};
      await sendUpload(bug, { ...upload, ...first });
      if (first.comment !== undefined) this.clear();
      this.setUploads((uploads) => uploads.filter((one) => one !== upload));
    }
  }

  /** What the form element does. */
  handlers() {
    const addFrom = (event, { files }) => {
      if (files.length === 0) return;
      event.preventDefault();
      this.add(files);
    };
    return {
      onSubmit: (event) => this.submit(event),
      onKeyDown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      },
      onDragOver: (event) => event.preventDefault(),
      onDrop: (event) => addFrom(event, event.dataTransfer),
      onPaste: (event) => addFrom(event, event.clipboardData),
    };
  }

  focus(id) {
    document.getElementById(id)?.focus();
  }
}

/** A button that gives up what was written. It asks once where that is more than a line, or has files. */
export class Discard extends Component {
  state = { isAsking: false };

  render({ text, files, onDiscard }, { isAsking }) {
    const isMuch = files > 0 || /\n\s*\S/.test(text);
    if (!isAsking)
      return html`<button type="button" class="plain" onClick=${() => (isMuch ? this.setState({ isAsking: true }) : onDiscard())}>Discard</button>`;
    const what = [text !== '' && 'text', files > 0 && (files === 1 ? '1 file' : `${files} files`)];
    const close = () => this.setState({ isAsking: false });
    const discard = () => {
      close();
      onDiscard();
    };
    return html`<span role="group" aria-label="Discard">Discard ${what.filter(Boolean).join(' and ')}? <button type="button" class="plain" onClick=${discard}>Discard</button> <button type="button" class="plain" onClick=${close}>Keep</button></span>`;
  }
}
