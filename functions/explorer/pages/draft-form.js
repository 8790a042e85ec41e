import { Component } from 'preact';
import { Confirm, counted, html, Icon, Notice, sizeText, When } from './elements.js';
import { Form } from './form.js';
import { Check, Field, inputId, Problem } from './inputs.js';
import { Prose } from './prose.js';
import { mayKeep, newKey, restOnce, send } from './rest.js';

/** How long a draft is kept on this device, in ms. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** What tells the drafts of this tab from those of others. */
const TAB = 'bugless-tab';
if (sessionStorage.getItem(TAB) === null) sessionStorage.setItem(TAB, newKey());
const tab = sessionStorage.getItem(TAB);

/** The draft that is kept under a name, `{content, savedAt, tab}`; undefined: none. */
function read(storage, name) {
  try {
    const draft = JSON.parse(storage.getItem(name));
    if (draft !== null && Date.now() - draft.savedAt < KEPT_MS) return draft;
  } catch {
    // What cannot be read is no draft.
  }
  storage.removeItem(name);
  return undefined;
}

/** Files that were chosen and not sent: kept while the page is shown anew because something else of it was saved. */
const UPLOADS = new Map();

/** Keeps a draft in this tab, and, unless it is confidential, as the newest one on this device. */
function keepDraft(name, content, isConfidential) {
  if (!mayKeep()) return;
  const draft = JSON.stringify({ savedAt: Date.now(), tab, content });
  if (isConfidential) removeOwn(localStorage, name);
  try {
    sessionStorage.setItem(name, draft);
    if (!isConfidential) localStorage.setItem(name, draft);
  } catch {
    // Without room, or where the browser allows no storage, there is no draft.
  }
}

/** That of another tab stays. */
function removeOwn(storage, name) {
  if (read(storage, name)?.tab === tab) storage.removeItem(name);
}

/** Removes the draft of this tab; if `isEverywhere`, the newest of the device, too. */
function removeDraft(name, isEverywhere = false) {
  sessionStorage.removeItem(name);
  if (isEverywhere) localStorage.removeItem(name);
  else removeOwn(localStorage, name);
}

/** Removes what anybody has drafted about a bug. Logins have no blanks. */
export function removeDraftsOf(bug) {
  for (const storage of [sessionStorage, localStorage]) {
    const names = Object.keys(storage).filter((name) => /^bugless draft \S+ (\S+)$/.exec(name)?.[1] === bug);
    for (const name of names) storage.removeItem(name);
  }
}

/** The types that Bugzilla takes. */
const TYPES = /^(application|audio|image|message|model|multipart|text|video)\/[\w.+-]+$/;
const TEXTS = /\.(patch|diff|log|txt|md|csv)$/i;
const PATCHES = /\.(patch|diff)$/i;

/** Images of which a preview is shown. */
const PICTURES = /^image\/(png|jpeg|gif|webp|bmp|avif)$/;

/** Files as uploads. Throws an Error that names a file which is empty or too large. */
async function uploadsOf(files) {
  const { parameters } = await restOnce('parameters?include_fields=maxattachmentsize');
  const max = Number(parameters.maxattachmentsize);
  return files.map((file) => {
    if (file.size === 0) throw new Error(`The file '${file.name}' is empty.`);
    if (file.size > max * 1_000) throw new Error(`The file '${file.name}' is larger than ${max} KB.`);
    const other = TEXTS.test(file.name) ? 'text/plain' : 'application/octet-stream';
    return {
      file,
      key: newKey(),
      summary: '',
      type: TYPES.test(file.type) ? file.type : other,
      isPatch: PATCHES.test(file.name),
      preview: PICTURES.test(file.type) ? URL.createObjectURL(file) : undefined,
    };
  });
}

/** An upload that the reader has changed: it may have been sent before, so that its key stands for other content. */
const changedUpload = (upload, some) => ({ ...upload, ...some, key: newKey() });

const base64Of = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`The file '${file.name}' cannot be read.`));
    reader.readAsDataURL(file);
  });

/** Attaches a file to a bug, perhaps with a comment: both are one change, of one mail. A repeated request attaches it once. */
async function sendUpload(bug, upload) {
  const { file, key, summary, type, isPatch, isPrivate, comment, commentKey = '' } = upload;
  const about = {
    file_name: file.name,
    summary: summary.trim() || file.name,
    content_type: type,
    is_patch: isPatch,
    is_private: isPrivate,
  };
  const body = { data: await base64Of(file), ...about, comment };
  await send('POST', `bug/${bug}/attachment`, body, { 'Idempotency-Key': key + commentKey });
}

/** The files that are going to be attached, each with its description. They can be dropped and pasted, too. */
const UploadList = ({ uploads, isInsider, problem, onChange }) => {
  const replace = (old, next) =>
    onChange(uploads.flatMap((one) => (one === old ? (next === undefined ? [] : [next]) : [one])));
  if (uploads.length === 0 && problem === undefined) return undefined;
  return html`<div class="files">
    <${Problem} id="attachments" text=${problem} />
    ${uploads.map(
      (upload, index) => html`<div class="file" key=${index}>
        ${upload.preview && html`<img class="thumb" src=${upload.preview} alt="" />`}
        <${Field} field=${{ name: `attachment-${index}`, label: `Description of ${upload.file.name}`, kind: 'text', placeholder: 'What it is; else its name' }} value=${upload.summary} onChange=${(summary) => replace(upload, changedUpload(upload, { summary }))} />
        <span class="soft small num">${sizeText(upload.file.size)}${upload.isPatch && ' · patch'}</span>
        ${isInsider && html`<${Check} name=${`attachment-${index}-private`} label="File is private" value=${upload.isPrivate} onChange=${(isPrivate) => replace(upload, changedUpload(upload, { isPrivate }))} />`}
        <button type="button" class="tiny quiet only push" aria-label=${`Do not attach ${upload.file.name}`} onClick=${() => replace(upload)}><${Icon} name="cross" /></button>
      </div>`,
    )}</div>`;
};

/** How more files are chosen. */
function ChooseFiles({ onAdd }) {
  const add = ({ target }) => {
    onAdd(target.files);
    target.value = '';
  };
  return html`<label class="button quiet attach"><${Icon} name="clip" />Attach files<input id=${inputId('attachments')} class="sr" type="file" multiple onChange=${add} /></label>`;
}

/**
 * A form whose content is kept as a draft until it is sent, with files. Subclasses have `subject`, `isConfidential`, and what those of
 * Form have. `properties.user`: the reader as whoami tells.
 */
export class DraftForm extends Form {
  constructor(properties) {
    super(properties);
    const own = read(sessionStorage, this.draftName);
    const newest = read(localStorage, this.draftName);
    this.state.content = { ...this.emptyContent(), key: newKey(), ...own?.content };
    this.state.uploads = UPLOADS.get(this.draftName) ?? [];
    this.state.other = own === undefined && newest?.tab !== tab ? newest : undefined;
  }

  /** What the draft is kept under. Signing out removes everything that begins with `bugless ` (rest.js). */
  get draftName() {
    return `bugless draft ${this.props.user.name} ${this.subject}`;
  }

  isUnsaved() {
    return super.isUnsaved() || this.state.uploads.length > 0;
  }

  /** Changes the content, and keeps it. What was sent before, and may have been written, has another key. */
  change(some) {
    const content = { ...this.state.content, key: newKey(), ...some };
    this.setState({ content, other: undefined });
    if (this.isChanged(content)) keepDraft(this.draftName, content, this.isConfidential(content));
    else removeDraft(this.draftName);
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
      removeDraft(this.draftName, true);
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
      UPLOADS.set(this.draftName, uploads);
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

/**
 * What is written in a DraftForm `form`, and how it will look, with its files, and who sees it. `field` of inputs.js, `context` of its
 * links, `privacy`: what the check box of insiders says, `foot`: what stands beside it
 */
export class Writer extends Component {
  onKeyDown = (event) => {
    if (!['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    this.setState({ isPreview: !this.state.isPreview }, () =>
      event.target.parentElement.querySelector('[aria-selected="true"]').focus(),
    );
  };

  render({ form, field, context, privacy, foot, children }, { isPreview = false }) {
    const { name, label, rows, placeholder } = field;
    const { user, hasEnded } = form.props;
    const { content, uploads, problems } = form.state;
    const [value, problem, isInsider] = [content[name], problems[name], user.rights.insider];
    const id = inputId(name);
    const tab = (text, isChosen) =>
      html`<button role="tab" type="button" aria-selected=${isChosen ? 'true' : 'false'} aria-controls=${`${id}-box`} tabindex=${isChosen ? 0 : -1} onClick=${() => this.setState({ isPreview: text === 'Preview' })}>${text}</button>`;
    return html`<div class=${content.isPrivate ? 'composer secret' : 'composer'}>
      <div class="tabs" role="tablist" aria-label="Write or preview" onKeyDown=${this.onKeyDown}>${tab('Write', !isPreview)}${tab('Preview', isPreview)}</div>
      <div id=${`${id}-box`} role="tabpanel" aria-label=${isPreview ? 'Preview' : 'Write'}>
        ${
          isPreview
            ? html`<${Prose} ...${{ text: value || 'Nothing is written yet.', bugs: new Map(), ...context }} />`
            : html`<label class="sr" for=${id}>${label}</label><textarea id=${id} dir="auto" rows=${rows} placeholder=${placeholder} value=${value} aria-invalid=${problem && 'true'} aria-describedby=${problem && `${id}-problem`} onInput=${({ target }) => form.change({ [name]: target.value })} />`
        }
      </div>
      <${Problem} id=${id} text=${problem} />
      <${UploadList} ...${{ uploads, isInsider, problem: problems.attachments, onChange: (next) => form.setUploads(() => next) }} />
      ${children}
      <div class="foot"><${ChooseFiles} onAdd=${(files) => form.add(files)} />
        ${isInsider && html`<label class="check"><input type="checkbox" id="input-private" disabled=${hasEnded} checked=${content.isPrivate} onChange=${({ target }) => form.setPrivate(target.checked)} /> <${Icon} name="lock" />${privacy}</label>`}
        ${foot}</div>
    </div>`;
  }
}
