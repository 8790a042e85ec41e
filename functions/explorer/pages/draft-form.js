import { Component } from 'preact';
import { draftOfOtherTab, keepDraft, keepUploads, readDraft, readUploads, removeDraft } from './drafts.js';
import { Confirm, counted, html, Notice, When } from './elements.js';
import { Form } from './form.js';
import { inputId, Problem } from './inputs.js';
import { Prose } from './prose.js';
import { newKey } from './rest.js';
import { changedUpload, sendUpload, uploadsOf } from './uploads.js';

/**
 * A form whose content is kept as a draft until it is sent, with files. Subclasses have `subject`, `isConfidential`, and what those of
 * Form have. `properties.user`: the reader as whoami tells.
 */
export class DraftForm extends Form {
  constructor(properties) {
    super(properties);
    const { name } = properties.user;
    const draft = readDraft(name, this.subject);
    this.state.content = { ...this.emptyContent(), key: newKey(), ...draft };
    this.state.uploads = readUploads(name, this.subject);
    this.state.other = draft === undefined ? draftOfOtherTab(name, this.subject) : undefined;
  }

  isUnsaved() {
    return super.isUnsaved() || this.state.uploads.length > 0;
  }

  /** Changes the content, and keeps it. What was sent before, and may have been written, has another key. */
  change(some) {
    const content = { ...this.state.content, key: newKey(), ...some };
    this.setState({ content, other: undefined });
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

  /** `change` returns the uploads in place of those that it is given. */
  setUploads(change) {
    this.setState((state) => {
      const uploads = change(state.uploads);
      keepUploads(this.props.user.name, this.subject, uploads);
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

  /** Files are dropped and pasted, too. */
  handlers() {
    const addFrom = (event, { files }) => {
      if (files.length === 0) return;
      event.preventDefault();
      this.add(files);
    };
    return {
      ...super.handlers(),
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
