import { Component, h } from 'preact';
import { Image, isImage } from './attachments.js';
import {
  Chip,
  copyText,
  counted,
  Face,
  html,
  Icon,
  isTyped,
  Menu,
  Person,
  say,
  shownName,
  Unfold,
  When,
} from './elements.js';
import { labelOf } from './labels.js';
import { Prose } from './prose.js';
import { rest, send, TOO_LARGE } from './rest.js';
import { sizeText } from './uploads.js';

/** Comments that are read at once, and those that a page has at most. */
const PART = 50;
const MAX_SHOWN = 500;
/** Where a part is larger than a response may be, fewer are read. */
const SMALLER = [PART, 25, 5, 1];

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

/** Adds earlier comments to some; beyond the most that a page has, the newest leave it. */
export async function withEarlier(id, comments) {
  const earlier = await readPart(id, comments[0].id);
  return [...earlier, ...comments].slice(0, MAX_SHOWN);
}

/** Changes of one field that follow each other, and that are folded, at least. */
const FOLDED_FROM = 3;

/** Entries with runs of changes of one field in one of their own: `{fold}`. */
function folded(entries) {
  const result = [];
  const fieldOf = ({ change }) => (change?.changes.length === 1 ? change.changes[0].field_name : undefined);
  for (let start = 0; start < entries.length; ) {
    const field = fieldOf(entries[start]);
    let end = start + 1;
    while (field !== undefined && end < entries.length && fieldOf(entries[end]) === field) end += 1;
    const run = entries.slice(start, end);
    if (run.length >= FOLDED_FROM)
      result.push({ when: run[0].when, field, fold: run.map(({ change }) => change) });
    else result.push(...run);
    start = end;
  }
  return result;
}

/** What a timeline shows. */
const KINDS = ['Everything', 'Comments', 'Changes'];
/** Comments from which on that is chosen. */
const MANY = 8;

/** Comments and changes, the oldest first: the description, and a part of the comments, which buttons make longer. */
export class Timeline extends Component {
  state = { kind: KINDS[0] };

  /** What is shown of it, in its order. */
  entries({ comments, changes, hasEarlier }) {
    const { kind } = this.state;
    const [first] = comments;
    const changed = changes.filter(({ when }) => !hasEarlier || when >= first.time);
    const entries = changed.map((change) => ({ when: change.when, order: 1, change }));
    // Nothing stands above the description, also if it is of the same second.
    const said = comments.map((one) => ({ when: one.time, order: Math.min(one.count, 1), comment: one }));
    const shown = [...(kind === 'Comments' ? [] : entries), ...(kind === 'Changes' ? [] : said)];
    return folded(shown.sort((a, b) => (a.when === b.when ? a.order - b.order : a.when < b.when ? -1 : 1)));
  }

  render(view, { kind }) {
    const { description, comments, names, lastVisit, user, isReading, onEarlier } = view;
    const [first] = comments;
    const hasEarlier = first !== undefined && first.count > 1;
    const isNew = (one) => lastVisit && one.time > lastVisit && one.creator !== user?.name;
    const unseen = comments.find(isNew);
    const show = (comment) =>
      html`${comment === unseen && html`<p class="since">New since you looked, <${When} at=${lastVisit} /></p>`}<${Comment} key=${comment.id} ...${{ ...view, comment }} />`;
    const entries = this.entries({ comments, changes: view.changes, hasEarlier });
    return html`
      ${
        (comments.length > MANY || hasEarlier) &&
        html`<div class="line"><span class="soft small">Show</span><div class="chips" role="group" aria-label="Show">${KINDS.map((one) => html`<button type="button" class=${`tiny ${one === kind ? '' : 'quiet'}`} aria-pressed=${one === kind} onClick=${() => this.setState({ kind: one })}>${one}</button>`)}</div>
        ${unseen && html`<a class="small" href=${`#c${unseen.count}`}>First of ${comments.filter(isNew).length} unread</a>`}
        <a class="push small" href=${`#c${comments.at(-1).count}`}>Newest comment</a></div>`
      }
      <h2 class="sr">Description and comments</h2>
      ${hasEarlier && kind !== 'Changes' && description.map(show)}
      ${
        hasEarlier &&
        html`<div class="more"><span><b>${counted(first.count - 1, 'earlier comment')}</b>${description[0] && html`, since <${When} at=${description[0].time} />`}</span>
        <span class="push line"><button type="button" class="tiny" aria-disabled=${isReading} onClick=${() => onEarlier(false)}>Show the ${Math.min(PART, first.count - 1)} before</button>
        ${first.count - 1 > PART && html`<button type="button" class="tiny quiet" aria-disabled=${isReading} onClick=${() => onEarlier(true)}>Show all</button>`}</span></div>`
      }
      ${entries.map((entry) => (entry.comment ? show(entry.comment) : entry.fold ? html`<${Fold} ...${{ ...entry, names }} />` : html`<${Change} ...${{ change: entry.change, names }} />`))}
      ${comments.length === MAX_SHOWN && html`<p>A page has ${MAX_SHOWN} comments at most. <a href=${location.search}>The newest ones</a></p>`}`;
  }
}

/** A comment as a reply quotes it, which is private then, too. */
export const quotation = ({ creator, count, text, is_private }, names) => ({
  text: `(In reply to ${shownName(creator, names)} from comment #${count})\n${text.replace(/^/gm, '> ')}\n\n`,
  isPrivate: is_private,
});

/** What somebody wrote in the comment that an attachment brought, without the lines of Bugzilla: they are shown as a link. */
const ownText = (text) => text.replace(/^Created attachment \d+\n[^\n]*(\n+|$)/, '');

/** A comment of a bug. `onReply`: is called with a quotation; undefined: the reader cannot reply, `saved`: the number of the one that was just saved */
class Comment extends Component {
  state = { isTyped: isTyped() };

  /** Makes it private, or public again. */
  hide = async () => {
    const { bug, comment, onSaved } = this.props;
    try {
      await send('PUT', `bug/${bug.id}`, { comment_is_private: { [comment.id]: !comment.is_private } });
      await onSaved({ focus: `c${comment.count}` });
    } catch ({ message }) {
      say(message);
    }
  };

  render(
    { comment, names, bugs, attachments, isTagger, user, saved, onReply },
    { isTyped: isAsTyped, isTagging },
  ) {
    const { id, count, creator, time, text, tags = [], is_private, attachment_id } = comment;
    const attachment = attachments.find((one) => one.id === attachment_id);
    const label = count === 0 ? 'Description' : `Comment ${count}`;
    const change = (some) => this.setState(some);
    return html`<article class=${is_private ? 'entry private' : 'entry'} id=${`c${count}`} aria-label=${label} tabindex="-1">
      <${Face} login=${creator} names=${names} /><div>
      <header><b><${Person} login=${creator} names=${names} /></b> ${saved === count ? html`<span class="just"><${Icon} name="check" /> saved just now</span>` : html`<${When} at=${time} />`}
        ${is_private && html`<span class="chip tag private"><${Icon} name="lock" />Private: insiders only</span>`}
        <${Tags} key=${tags.join()} ...${{ id, tags, isOpen: isTagging, onClose: () => change({ isTagging: false }) }} />
        <span class="acts">
          ${onReply && html`<button type="button" class="tiny quiet" aria-label=${`Reply to comment ${count}`} onClick=${() => onReply(quotation(comment, names))}><${Icon} name="reply" /><span class="word">Reply</span></button>`}
          <${Menu} label=${`More for comment ${count}`} icon="more" kind="button tiny quiet only" side="right"><ul>
            <li><button type="button" onClick=${() => copyText(new URL(`#c${count}`, location.href).href, 'The link')}>Copy link</button></li>
            <li><button type="button" onClick=${() => change({ isTyped: !isAsTyped })}>${isAsTyped ? 'Show as prose' : 'Show as typed'}</button></li>
            ${isTagger && html`<li><button type="button" onClick=${() => change({ isTagging: true })}>Tags</button></li>`}
            ${user?.rights.insider && user.rights.edit_bugs && html`<li><button type="button" onClick=${this.hide}>${is_private ? 'Make public' : 'Make private'}</button></li>`}
          </ul><//>
          <a class="number" href=${`#c${count}`}><span><span class="sr">${count === 0 ? 'Description' : 'Comment'} </span>#${count}</span></a>
        </span></header>
      <${LongText} ...${{ text: attachment_id ? ownText(text) : text, bugs, attachments, isTyped: isAsTyped }} />
      ${attachment_id && html`<div class="file">${attachment && isImage(attachment) && html`<${Image} attachment=${attachment} isUnasked />`}<a href=${`#a${attachment_id}`} dir="auto">Attachment ${attachment_id}: ${attachment?.summary}</a>${attachment && html`<span class="soft small">${sizeText(attachment.size)}${attachment.is_obsolete === 1 && ' · obsolete'}</span>`}</div>`}
    </div></article>`;
  }
}

/** The tags of a comment, and, for those who may, an input for them. */
class Tags extends Component {
  save = async (event) => {
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
      this.setState({ tags, problem: undefined });
      this.props.onClose();
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  };

  render({ id, tags, isOpen }, { tags: changed = tags, problem }) {
    if (!isOpen) return changed.map((tag) => html`<${Chip} kind="tag" label=${tag} />`);
    return html`<form class="line tagging" onSubmit=${this.save}>
      <label for=${`tags-${id}`}>Tags</label><input id=${`tags-${id}`} name="tags" defaultValue=${changed.join(' ')} aria-describedby=${`tags-${id}-problem`} />
      <button type="submit" class="tiny accent">Save</button>
      <span class="problem" role="alert" id=${`tags-${id}-problem`}>${problem}</span>
    </form>`;
  }
}

/** Lines of a text that are shown at first, where it has more than twice as many. */
const SHOWN_LINES = 100;

/** A text; of a long one the first lines, and a button for the others. */
const LongText = ({ text, ...shown }) => {
  if (text === '') return undefined;
  const lines = text.split('\n');
  const first = (count) => html`<${Prose} ...${{ text: lines.slice(0, count).join('\n'), ...shown }} />`;
  if (lines.length <= 2 * SHOWN_LINES) return first();
  const short = (button) => html`${first(SHOWN_LINES)}${button}`;
  return html`<${Unfold} ...${{ short, more: `${lines.length - SHOWN_LINES} more lines`, whole: first }} />`;
};

/** The longest change that stands on one line of a phone. */
const MAX_WHOLE = 36;

/** A change of a field in words. */
function inWords({ field_name, removed, added }) {
  const value = (tag, text) => h(tag, { dir: 'auto' }, text);
  const label = labelOf(field_name);
  const isWhole = `${label}${removed}${added}`.length <= MAX_WHOLE;
  const words =
    removed === ''
      ? html`${label} + ${value('ins', added)}`
      : added === ''
        ? html`${label} − ${value('del', removed)}`
        : html`${label} from ${value('span', removed)} to ${value('ins', added)}`;
  return html`<span class=${isWhole && 'whole'}>${words}</span>`;
}

/** A line of what somebody changed; its time is kept apart by a dot that begins no line. */
const ChangeLine = ({ who, when, more, children }) =>
  html`<div class="entry change"><${Icon} name="pen" /><div>${who} changed ${children}\u00a0· <${When} at=${when} /> ${more}</div></div>`;

/** A change of a bug's fields, in a line. */
const Change = ({ change: { who, when, changes }, names }) =>
  html`<${ChangeLine} who=${html`<${Person} login=${who} names=${names} />`} when=${when}>${changes.map((one, index) => [index > 0 && ', ', inWords(one)])}<//>`;

/** Many changes of a field in a line, which shows each on request. */
const Fold = ({ fold, field, names }) => {
  const whole = () => fold.map((change) => html`<${Change} ...${{ change, names }} />`);
  const people = [...new Set(fold.map(({ who }) => who))];
  const who =
    people.length === 1 ? html`<${Person} login=${people[0]} names=${names} />` : `${people.length} people`;
  const short = (more) =>
    html`<${ChangeLine} ...${{ who, when: fold.at(-1).when, more }}>${labelOf(field)} ${fold.length} times<//>`;
  return html`<${Unfold} ...${{ short, more: 'Show each', whole }} />`;
};
