import { Component } from 'preact';
import { Image, isImage } from './attachments.js';
import { html, Person, shownName, Text, When } from './elements.js';
import { labelOf } from './labels.js';
import { rest, send } from './rest.js';

/** Comments that are read at once, and those that a page has at most. */
const PART = 100;
const MAX_SHOWN = 500;
/** Where a part is larger than a response may be, fewer are read. */
const SMALLER = [PART, 25, 5, 1];
const TOO_LARGE = 32000;

/** Reads comments of a bug, given by id or alias: the newest first. */
async function read(id, query) {
  const { bugs } = await rest(`bug/${id}/comment?order=newest&${query}`);
  return Object.values(bugs)[0].comments;
}

/** Reads a part, oldest first. `before`: id of the comment that follows; '': the newest. */
export async function readPart(id, before = '') {
  const until = before === '' ? '' : `&before=${before}`;
  for (const limit of SMALLER) {
    try {
      return (await read(id, `limit=${limit}${until}`)).reverse();
    } catch (error) {
      if (error.code !== TOO_LARGE || limit === 1) throw error;
    }
  }
}

/** The description alone. */
export async function readDescription(id) {
  const { bugs } = await rest(`bug/${id}/comment?limit=1`);
  return Object.values(bugs)[0].comments;
}

/** Reads the part that has the comment of this number: ids and numbers are read until it is found. */
export async function readAround(id, count) {
  for (let before = ''; ; ) {
    const query = `limit=${MAX_SHOWN}&include_fields=id,count${before === '' ? '' : `&before=${before}`}`;
    const known = await read(id, query);
    if (known.length === 0) return readPart(id);
    if (known.at(-1).count <= count) {
      const later = known.findLast((one) => one.count > count + PART / 2);
      return readPart(id, later?.id ?? before);
    }
    before = known.at(-1).id;
  }
}

/** The number of the comment that the address names; undefined: none. */
export const namedCount = () => {
  const [, count] = /^#c(\d+)$/.exec(location.hash) ?? [];
  return count === undefined ? undefined : Number(count);
};

/** Comments and changes, the oldest first: the description, and a part of the comments, which a button makes longer. */
export class Timeline extends Component {
  constructor(properties) {
    super(properties);
    this.state = { comments: properties.comments, problem: '', isReading: false };
    this.follow = () => this.showNamed();
  }

  componentDidMount() {
    addEventListener('hashchange', this.follow);
  }

  componentWillUnmount() {
    removeEventListener('hashchange', this.follow);
  }

  async change(next) {
    this.setState({ isReading: true, problem: '' });
    try {
      this.setState({ comments: await next() });
    } catch ({ message }) {
      this.setState({ problem: message });
    }
    this.setState({ isReading: false });
  }

  /** Adds earlier comments; beyond the most that a page has, the newest leave it. */
  showEarlier() {
    return this.change(async () => {
      const { comments } = this.state;
      const earlier = await readPart(this.props.id, comments[0].id);
      return [...earlier, ...comments].slice(0, MAX_SHOWN);
    });
  }

  async showNamed() {
    const count = namedCount();
    if (count === undefined || count === 0 || this.state.comments.some((one) => one.count === count)) return;
    await this.change(() => readAround(this.props.id, count));
    document.getElementById(`c${count}`)?.scrollIntoView();
  }

  render(
    { description, changes, names, bugs, attachments, isTagger, onReply },
    { comments, problem, isReading },
  ) {
    const [first] = comments;
    const hasEarlier = first !== undefined && first.count > 1;
    const shown = changes.filter(({ when }) => !hasEarlier || when >= first.time);
    const show = (comment) =>
      html`<${Comment} key=${comment.id} ...${{ comment, names, bugs, attachments, isTagger, onReply }} />`;
    const entries = [
      ...shown.map((change) => [change.when, html`<${Change} ...${{ change, names }} />`]),
      // Nothing stands above the description, also if it is of the same second.
      ...comments.map((comment) => [comment.time, show(comment), Math.min(comment.count, 1)]),
    ].sort(([a, , isFirst = 1], [b, , isSecond = 1]) => (a === b ? isFirst - isSecond : a < b ? -1 : 1));
    return html`
      ${hasEarlier && description.map(show)}
      ${hasEarlier && html`<p><button type="button" class="earlier" disabled=${isReading} onClick=${() => this.showEarlier()}>Earlier comments</button></p>`}
      ${problem !== '' && html`<p role="alert">${problem}</p>`}
      ${entries.map(([, content]) => content)}
      ${comments.length === MAX_SHOWN && html`<p>A page has ${MAX_SHOWN} comments at most. <a href=${location.search}>The newest ones</a></p>`}`;
  }
}

/**
 * A comment of a bug; `isTagger`: whether the reader may change its tags, `onReply`: is called with a quotation; undefined: the
 * reader cannot reply.
 */
export const Comment = ({ comment, names, bugs, attachments, isTagger, onReply }) => {
  const { id, count, creator, time, text, tags = [], is_private, attachment_id } = comment;
  const attachment = attachments.find((one) => one.id === attachment_id);
  return html`<article id=${`c${count}`} class=${is_private ? 'private' : ''}>
    <header>
      <b><${Person} login=${creator} names=${names} /></b> <${When} at=${time} isExact />
      ${is_private && html`<span class="badge">Private</span>`}
      <${Tags} ...${{ id, tags, isTagger }} />
      <span class="number">
        ${onReply && html`<button type="button" class="plain small" aria-label=${`Reply to comment ${count}`} onClick=${() => onReply(quotation(comment, names))}>Reply</button>`}
        <a href=${`#c${count}`}>${count === 0 ? 'Description' : `Comment ${count}`}</a>
      </span>
    </header>
    ${attachment_id && html`<p class="brought"><a href=${`#a${attachment_id}`}>Attachment ${attachment_id}: ${attachment?.summary}</a></p>`}
    ${attachment && isImage(attachment) && html`<${Image} attachment=${attachment} isUnasked />`}
    <${LongText} text=${attachment_id ? ownText(text) : text} bugs=${bugs} />
  </article>`;
};

/** A comment as a reply quotes it, which is private then, too. */
const quotation = ({ creator, count, text, is_private }, names) => ({
  text: `(In reply to ${shownName(creator, names)} from comment #${count})\n${text.replace(/^/gm, '> ')}\n\n`,
  isPrivate: is_private,
});

/** What somebody wrote in the comment that an attachment brought, without the lines of Bugzilla: they are shown as a link. */
const ownText = (text) => text.replace(/^Created attachment \d+\n[^\n]*(\n+|$)/, '');

/** The tags of a comment, and, for those who may, an input for them. */
class Tags extends Component {
  async save(event) {
    event.preventDefault();
    const before = this.state.tags ?? this.props.tags;
    const given = new FormData(event.target)
      .get('tags')
      .split(/[\s,]+/)
      .filter(Boolean);
    const body = {
      add: given.filter((tag) => !before.includes(tag)),
      remove: before.filter((tag) => !given.includes(tag)),
    };
    try {
      const tags = await send('PUT', `bug/comment/${this.props.id}/tags`, body);
      this.setState({ tags, isOpen: false, problem: undefined });
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  }

  render({ id, tags, isTagger }, { tags: changed = tags, isOpen, problem }) {
    const shown = changed.map((tag) => html`<span class="tag">${tag}</span>`);
    if (!isTagger) return shown;
    if (!isOpen)
      return html`${shown}<button type="button" class="plain small" onClick=${() => this.setState({ isOpen: true })}>Tags</button>`;
    return html`<form class="tags" onSubmit=${(event) => this.save(event)}>
      <label for=${`tags-${id}`}>Tags</label> <input id=${`tags-${id}`} name="tags" defaultValue=${changed.join(' ')} aria-describedby=${`tags-${id}-problem`} />
      <button type="submit">Save</button>
      <span class="problem" role="alert" id=${`tags-${id}-problem`}>${problem}</span>
    </form>`;
  }
}

/** Lines of a text that are shown at first, where it has more than twice as many. */
const SHOWN_LINES = 100;

/** A text; of a long one the first lines, and a button for the others. */
class LongText extends Component {
  render({ text, bugs }, { isWhole }) {
    if (text === '') return undefined;
    const lines = text.split('\n');
    if (isWhole || lines.length <= 2 * SHOWN_LINES) return html`<${Text} text=${text} bugs=${bugs} />`;
    return html`
      <${Text} text=${lines.slice(0, SHOWN_LINES).join('\n')} bugs=${bugs} />
      <button type="button" onClick=${() => this.setState({ isWhole: true })}>${lines.length - SHOWN_LINES} more lines</button>`;
  }
}

/** A change of a bug's fields. */
export const Change = ({ change: { who, when, changes }, names }) => html`
  <div class="change">
    <b><${Person} login=${who} names=${names} /></b> <${When} at=${when} isExact />
    <ul>${changes.map(
      ({ field_name, removed, added }) =>
        html`<li>${labelOf(field_name)}: ${removed && html`<del>${removed}</del>`} ${added && html`<ins>${added}</ins>`}</li>`,
    )}</ul>
  </div>`;
