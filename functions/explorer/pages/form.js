import { Component } from 'preact';
import { draftOfOtherTab, keepDraft, keepUploads, readDraft, readUploads, removeDraft } from './drafts.js';
import { Confirm, counted, focusOn, html, Listening, Notice, say, When } from './elements.js';
import { Field, inputId, Problem } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { Prose } from './prose.js';
import { KEY_INVALID, newKey, reader, send } from './rest.js';
import { changedUpload, sendUpload, uploadsOf } from './uploads.js';

/**
 * A form whose content is kept as a draft until it is sent, and that asks before it is left.
 *
 * Subclasses have `subject` and `isConfidential`, and the methods `emptyContent`, `isChanged`, `values` (by name of the field,
 * for problems) and `send`. `properties.user`: the reader as whoami tells.
 */
export class DraftForm extends Listening {
  constructor(properties) {
    super(properties);
    const { name } = properties.user;
    const draft = this.hasDraft ? readDraft(name, this.subject) : undefined;
    this.state = {
      content: { ...this.emptyContent(), ...draft },
      uploads: this.hasDraft ? readUploads(name, this.subject) : [],
      other: this.hasDraft && draft === undefined ? draftOfOtherTab(name, this.subject) : undefined,
      problems: {},
      problem: '',
      isSending: false,
    };
  }

  /** Whether what is entered is kept. */
  get hasDraft() {
    return true;
  }

  componentDidMount() {
    // Somebody leaves, or signed in or out in another tab: the page stays where something is written.
    this.listen('beforeunload bugless-key', (event) => this.isUnsaved() && event.preventDefault());
  }

  isUnsaved() {
    return !this.isDone && (this.isChanged(this.state.content) || this.state.uploads.length > 0);
  }

  /** Changes the content, and keeps it. What was sent before, and may have been written, has another key. */
  change(some) {
    const content = { ...this.state.content, key: newKey(), ...some };
    this.setState({ content, other: undefined });
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

  /** The input of a field, with what is wrong with it; subclasses that have fields have `set(name, value)`, too. */
  field(one) {
    const { problems } = this.state;
    return html`<${Field} key=${one.name} field=${one} value=${this.values()[one.name] ?? ''} problem=${problems[one.name]} onChange=${(value) => this.set(one.name, value)} />`;
  }

  /** Begins anew: what was written was sent, or is given up. */
  clear() {
    this.change(this.emptyContent());
  }

  /** The draft of another tab, which is taken on request. */
  offer() {
    const { other } = this.state;
    if (other === undefined) return undefined;
    const refuse = () => {
      removeDraft(this.props.user.name, this.subject, true);
      this.setState({ other: undefined });
    };
    return html`<${Notice} kind="info"><p>A draft of another tab, <${When} at=${other.savedAt} /></p>
      <button type="button" class="tiny" onClick=${() => this.change(other.content)}>Take it</button>
      <button type="button" class="tiny quiet" onClick=${refuse}>Not</button><//>`;
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
      await this.send().catch((problem) => this.sendAgain(problem));
    } catch (problem) {
      this.showProblem(problem);
    }
    this.isSending = false;
    this.setState({ isSending: false });
  }

  /** Where the session has ended: asks for a sign-in at the top of the page, and sends again. Of others, what is written stays a draft. */
  async sendAgain(problem) {
    if (problem.code !== KEY_INVALID) throw problem;
    const { signInAgain } = await import('./sign-in.js');
    const { name } = this.props.user;
    await signInAgain(name);
    const user = await reader(true);
    const isOther = user?.name !== name;
    dispatchEvent(new CustomEvent('bugless-signed', { detail: { isOther } }));
    if (isOther) throw new Error(`It is not sent: it was written by ${name}. It is kept as a draft.`);
    await this.send();
  }

  /**
   * Changes a bug on the condition that it is as it was seen; where others changed the same, the reader says what holds. `names` of what
   * is changed, `mine`: what was entered, in words. Returns whether it is changed.
   */
  async saveAsSeen(bug, body, names, mine) {
    try {
      await send('PUT', `bug/${bug.id}`, body, { 'If-Match': `"${bug.bugless_version}"` });
      return true;
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      const { bug: fresh, isMine } = await this.props.onConflict(names, mine);
      return isMine && this.saveAsSeen(fresh, body, names, mine);
    }
  }

  /** Shows a problem at its field, or above the form, and goes there. */
  showProblem(problem) {
    const field = fieldOfProblem(problem, this.values());
    const input = field === undefined ? null : document.getElementById(inputId(field));
    if (input === null) this.setState({ problem: problem.message }, () => focusOn('form-problem'));
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
}

/** A button that gives up what was written. It asks once where that is more than a line, or has files. */
export const Discard = ({ text, files, onDiscard }) => {
  if (files === 0 && text.length <= 40 && !/\n\s*\S/.test(text))
    return html`<button type="button" class="quiet" onClick=${onDiscard}>Discard</button>`;
  const what = [text !== '' && 'text', files > 0 && counted(files, 'file')].filter(Boolean).join(' and ');
  return html`<${Confirm} name="Discard …" question=${`Discard ${what}?`} yes="Discard" kind="quiet" onYes=${onDiscard} />`;
};

/** Above a form: what went wrong with no field in particular. */
export const FormProblem = ({ text }) =>
  text !== '' && html`<${Notice} kind="bad" id="form-problem"><p>${text}</p><//>`;

/** What is written, and how it will look. `field` of inputs.js; `foot`: what stands below, `context` of its links */
export class Writer extends Component {
  onKeyDown = (event) => {
    if (!['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    this.setState({ isPreview: !this.state.isPreview }, () =>
      event.target.parentElement.querySelector('[aria-selected="true"]').focus(),
    );
  };

  render({ field, value, problem, onChange, context, className = '', children }, { isPreview = false }) {
    const { name, label, rows, placeholder } = field;
    const id = inputId(name);
    const tab = (text, isChosen) =>
      html`<button role="tab" type="button" aria-selected=${isChosen ? 'true' : 'false'} aria-controls=${`${id}-box`} tabindex=${isChosen ? 0 : -1} onClick=${() => this.setState({ isPreview: text === 'Preview' })}>${text}</button>`;
    return html`<div class=${`composer ${className}`}>
      <div class="tabs" role="tablist" aria-label="Write or preview" onKeyDown=${this.onKeyDown}>${tab('Write', !isPreview)}${tab('Preview', isPreview)}</div>
      <div id=${`${id}-box`} role="tabpanel" aria-label=${isPreview ? 'Preview' : 'Write'}>
        ${
          isPreview
            ? html`<${Prose} ...${{ text: value || 'Nothing is written yet.', bugs: new Map(), ...context }} />`
            : html`<label class="sr" for=${id}>${label}</label><textarea id=${id} dir="auto" rows=${rows} placeholder=${placeholder} value=${value} aria-invalid=${problem && 'true'} aria-describedby=${problem && `${id}-problem`} onInput=${({ target }) => onChange(target.value)} />`
        }
      </div>
      <${Problem} id=${id} text=${problem} />
      ${children}
    </div>`;
  }
}
