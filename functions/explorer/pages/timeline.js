import { Component, h } from 'preact';
import { Image, isImage } from './attachments.js';
import { MAX_SHOWN, PART } from './comments.js';
import {
  attempt,
  Chip,
  copyText,
  counted,
  Face,
  html,
  Icon,
  isTyped,
  Menu,
  Person,
  shownName,
  sizeText,
  Unfold,
  When,
} from './elements.js';
import { Form } from './form.js';
import { labelOf } from './labels.js';
import { Prose } from './prose.js';
import { send } from './rest.js';

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
  hide = () => {
    const { bug, comment, onSaved } = this.props;
    const change = { comment_is_private: { [comment.id]: !comment.is_private } };
    attempt(send('PUT', `bug/${bug.id}`, change).then(() => onSaved({ focus: `c${comment.count}` })));
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
class Tags extends Form {
  async send() {
    const before = this.state.tags ?? this.props.tags;
    const { value } = document.getElementById(`tags-${this.props.id}`);
    const given = value.split(/[\s,]+/).filter(Boolean);
    const body = {
      add: given.filter((tag) => !before.includes(tag)),
      remove: before.filter((tag) => !given.includes(tag)),
    };
    this.setState({ tags: await send('PUT', `bug/comment/${this.props.id}/tags`, body) });
    this.props.onClose();
  }

  render({ id, tags, isOpen }, { tags: changed = tags, problem }) {
    if (!isOpen) return changed.map((tag) => html`<${Chip} kind="tag" label=${tag} />`);
    return html`<form class="line tagging" ...${this.handlers()}>
      <label for=${`tags-${id}`}>Tags</label><input id=${`tags-${id}`} defaultValue=${changed.join(' ')} aria-describedby=${`tags-${id}-problem`} />
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

/** A change of a field in words. */
function inWords({ field_name, ...values }) {
  // It would break after each hyphen.
  const [removed, added] = [values.removed, values.added].map((value) => (value === '---' ? '–' : value));
  const label = labelOf(field_name);
  const [before, after] = removed === '' ? ['', '+'] : added === '' ? ['−', ''] : ['from', 'to'];
  return html`${label}${before && html` ${before} ${h(after ? 'span' : 'del', { dir: 'auto' }, removed)}`}${after && html` ${after} <ins dir="auto">${added}</ins>`}`;
}

/** A line of what somebody changed; its time is kept apart by a dot that begins no line. */
const ChangeLine = ({ who, when, more, children }) =>
  html`<div class="entry change"><${Icon} name="pen" /><div>${who} changed ${children}\u00a0·\u00a0<${When} at=${when} /> ${more}</div></div>`;

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
