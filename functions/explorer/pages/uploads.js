import { counted, html, Icon } from './elements.js';
import { Check, Field, inputId, Problem } from './inputs.js';
import { newKey, restOnce, send } from './rest.js';

/** The types that Bugzilla takes. */
const TYPES = /^(application|audio|image|message|model|multipart|text|video)\/[\w.+-]+$/;
const TEXTS = /\.(patch|diff|log|txt|md|csv)$/i;
const PATCHES = /\.(patch|diff)$/i;

/** Images of which a preview is shown. */
const PICTURES = /^image\/(png|jpeg|gif|webp|bmp|avif)$/;

/** Files as uploads. Throws an Error that names a file which is empty or too large. */
export async function uploadsOf(files) {
  const { parameters } = await restOnce('parameters?include_fields=maxattachmentsize');
  const max = Number(parameters.maxattachmentsize);
  return files.map((file) => {
    if (file.size === 0) throw new Error(`The file '${file.name}' is empty.`);
    if (file.size > max * 1_000) throw new Error(`The file '${file.name}' is larger than ${max} KB.`);
    const other = TEXTS.test(file.name) ? 'text/plain' : 'application/octet-stream';
    return {
      file,
      key: newKey(),
      summary: file.name,
      type: TYPES.test(file.type) ? file.type : other,
      isPatch: PATCHES.test(file.name),
      preview: PICTURES.test(file.type) ? URL.createObjectURL(file) : undefined,
    };
  });
}

/** An upload that the reader has changed: it may have been sent before, so that its key stands for other content. */
export const changedUpload = (upload, some) => ({ ...upload, ...some, key: newKey() });

const base64Of = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`The file '${file.name}' cannot be read.`));
    reader.readAsDataURL(file);
  });

/** Attaches a file to a bug, perhaps with a comment: both are one change, of one mail. A repeated request attaches it once. */
export async function sendUpload(bug, upload) {
  const { file, key, summary, type, isPatch, isPrivate, comment, commentKey = '' } = upload;
  const about = {
    file_name: file.name,
    summary,
    content_type: type,
    is_patch: isPatch,
    is_private: isPrivate,
  };
  const body = { data: await base64Of(file), ...about, comment };
  await send('POST', `bug/${bug}/attachment`, body, { 'Idempotency-Key': key + commentKey });
}

/** The files that are going to be attached, each with its description. They can be dropped and pasted, too. */
export const UploadList = ({ uploads, isInsider, problem, onChange }) => {
  const replace = (old, next) =>
    onChange(uploads.flatMap((one) => (one === old ? (next === undefined ? [] : [next]) : [one])));
  if (uploads.length === 0 && problem === undefined) return undefined;
  return html`<div class="files">
    <${Problem} id="attachments" text=${problem} />
    ${uploads.map(
      (upload, index) => html`<div class="file" key=${index}>
        ${upload.preview && html`<img class="thumb" src=${upload.preview} alt="" />`}
        <${Field} field=${{ name: `attachment-${index}`, label: `Description of ${upload.file.name}`, kind: 'text' }} value=${upload.summary} onChange=${(summary) => replace(upload, changedUpload(upload, { summary }))} />
        <span class="soft small num">${sizeText(upload.file.size)}${upload.isPatch && ' · patch'}</span>
        ${isInsider && html`<${Check} name=${`attachment-${index}-private`} label="File is private" value=${upload.isPrivate} onChange=${(isPrivate) => replace(upload, changedUpload(upload, { isPrivate }))} />`}
        <button type="button" class="tiny quiet only push" aria-label=${`Do not attach ${upload.file.name}`} onClick=${() => replace(upload)}><${Icon} name="cross" /></button>
      </div>`,
    )}</div>`;
};

/** How more files are chosen. */
export function ChooseFiles({ onAdd }) {
  const add = ({ target }) => {
    onAdd(target.files);
    target.value = '';
  };
  return html`<label class="button quiet attach"><${Icon} name="clip" />Attach files<input id=${inputId('attachments')} class="sr" type="file" multiple onChange=${add} /></label>`;
}

/** A size in units of 1,000 bytes. */
export const sizeText = (bytes) =>
  bytes < 1_000 ? counted(bytes, 'byte') : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
