import { Component, createRef } from 'preact';
import { html, Icon, Lazy, Person, save, sizeText, When } from './elements.js';
import { request } from './rest.js';
import { mayChangeAttachment } from './rights.js';

/** The attachments of a bug, in its column of fields. */
export const Attachments = ({ attachments, ...view }) =>
  attachments.length > 0 &&
  html`<section><h2>Attachments</h2>
    <ul class="stack">${attachments.map((one) => html`<${Attachment} key=${one.id} ...${{ attachment: one, ...view }} />`)}</ul></section>`;

/** An attachment, which is changed where it is shown. */
class Attachment extends Component {
  open = (isOpen) => () => this.setState({ isOpen });

  render({ attachment, names, user, bug, onSaved }, { isOpen }) {
    const { id, summary, file_name, size, creator, creation_time, flags, is_obsolete, is_private } =
      attachment;
    const onClose = this.open(false);
    const from = () => import('./attachment-form.js');
    const form = { from, part: 'AttachmentForm', onFail: onClose, attachment, user, bug, onClose, onSaved };
    return html`<li id=${`a${id}`} tabindex="-1">
      <a class=${is_obsolete ? 'closed-bug' : undefined} href=${attachmentUrl(id)} dir="auto" onClick=${(event) => save(event, attachmentUrl(id), file_name)}>${summary}</a>
      ${is_private ? html` <span class="chip tag private"><${Icon} name="lock" />Private</span>` : ''}
      ${is_obsolete ? html` <span class="chip tag">Obsolete</span>` : ''}
      ${isImage(attachment) && html`<${Image} attachment=${attachment} />`}
      <p class="soft small"><span dir="auto">${file_name}</span>, ${sizeText(size)}, <${Person} login=${creator} names=${names} />, <${When} at=${creation_time} /></p>
      <${Flags} flags=${flags} names=${names} />
      ${
        isOpen
          ? html`<${Lazy} ...${form} />`
          : mayChangeAttachment(attachment, user, true) &&
            html`<button type="button" class="tiny quiet" id=${`change-a${id}`} aria-label=${`Change ${summary}`} onClick=${this.open(true)}><${Icon} name="pen" />Change</button>`
      }
    </li>`;
  }
}

/** Images that can hold no script, and the largest that is shown, and shown unasked, in bytes. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif'];
const MAX_IMAGE = 2_000_000;
const MAX_UNASKED = 300_000;

export const isImage = ({ content_type, size }) => IMAGES.includes(content_type) && size <= MAX_IMAGE;

/** An image that is read with the reader's key when it is asked for; with `isUnasked`, when it comes into view, if it is small. */
export class Image extends Component {
  place = createRef();

  componentDidMount() {
    const { attachment, isUnasked } = this.props;
    if (isUnasked !== true || attachment.is_obsolete || attachment.size > MAX_UNASKED) return;
    this.observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.observer.disconnect();
      this.show(attachment);
    });
    this.observer.observe(this.place.current);
  }

  async show({ id, content_type }) {
    try {
      const bytes = await (await request(attachmentUrl(id))).arrayBuffer();
      this.setState({ url: URL.createObjectURL(new Blob([bytes], { type: content_type })) });
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  }

  componentWillUnmount() {
    this.observer?.disconnect();
    if (this.state.url !== undefined) URL.revokeObjectURL(this.state.url);
  }

  render({ attachment }, { url, problem }) {
    const fail = () =>
      this.setState({ url: undefined, problem: 'This is not an image, whatever its type says.' });
    return html`<div class="picture" ref=${this.place}>${
      problem !== undefined
        ? html`<p role="alert">${problem}</p>`
        : url !== undefined
          ? html`<img src=${url} alt=${attachment.summary} onError=${fail} />`
          : html`<button type="button" class="tiny" onClick=${() => this.show(attachment)}>Show the image</button>`
    }</div>`;
  }
}

const attachmentUrl = (id) => `attachment.cgi?id=${id}`;

/** Flags: `needinfo?  Ada asks Bob`. */
export const Flags = ({ flags = [], names }) =>
  flags.map(({ name, status, setter, requestee }) => {
    const asked = requestee && html` <${Person} login=${requestee} names=${names} />`;
    return html`<div class="flag"><b>${name}${status}</b><span><${Person} login=${setter} names=${names} />${status === '?' && ' asks'}${asked}</span></div>`;
  });
