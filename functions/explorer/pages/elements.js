import htm from 'htm';
import { Component, h } from 'preact';
import { serverTime } from './rest.js';

/** JSX as a template: values become text and attributes, never HTML. */
export const html = htm.bind(h);

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
/** Units in seconds, the largest first. */
const UNITS = { year: 31_556_952, month: 2_629_746, week: 604_800, day: 86_400, hour: 3_600, minute: 60 };

/** How long ago a time is by the server's clock, in the largest unit that fits. */
function relativeTime(date) {
  const seconds = (date.getTime() - serverTime()) / 1_000;
  const [unit, size] = Object.entries(UNITS).find(([, one]) => Math.abs(seconds) >= one) ?? ['minute', 60];
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/**
 * A time in the reader's zone: the day, with the minute in the tooltip; if `isExact` the minute, and how long ago it is; if
 * `isAge` that alone.
 */
export const When = ({ at, isExact = false, isAge = false }) => {
  const date = new Date(at);
  if (isAge) return html`<time dateTime=${at} title=${TIME.format(date)}>${relativeTime(date)}</time>`;
  if (!isExact) return html`<time dateTime=${at} title=${TIME.format(date)}>${DAY.format(date)}</time>`;
  return html`<time dateTime=${at}>${TIME.format(date)}</time> <span class="ago">(${relativeTime(date)})</span>`;
};

/** Entries that are shown at first, where there are more. */
const SHOWN = 20;

/** The first of many elements, and a button for the others. */
export class Shortened extends Component {
  render({ children }, { isWhole }) {
    if (isWhole || children.length <= SHOWN) return children;
    return html`${children.slice(0, SHOWN)}<button type="button" onClick=${() => this.setState({ isWhole: true })}>${children.length - SHOWN} more</button>`;
  }
}

/** A user: the real name, or else the login up to `@`, as a link to what is assigned to them, or was reported by them. */
export const Person = ({ login, names = {} }) => {
  const roles = { emailassigned_to1: 1, emailreporter1: 1 };
  const emailtype1 = login.includes('@') ? 'exact' : 'substring';
  const address = listUrl({ email1: login, emailtype1, ...roles, bug_status: '__open__' });
  return html`<a class="person" title=${login} href=${address}>${shownName(login, names)}</a>`;
};

/** What a user is called: the real name, or else the login up to `@`. */
export const shownName = (login, names = {}) => names[login] || login.split('@')[0];

/** The state of a bug: `RESOLVED FIXED`. */
export const State = ({ bug }) =>
  html`<span class=${bug.is_open ? 'state open' : 'state closed'}>${bug.status} ${bug.resolution}</span>`;

/** The address of a bug's page. */
export const bugUrl = (id, comment) =>
  `show_bug.cgi?id=${encodeURIComponent(id)}${comment === undefined ? '' : `#c${comment}`}`;

/** The address of a list of bugs that meet conditions. */
export const listUrl = (conditions) => `buglist.cgi?${new URLSearchParams(conditions)}`;

/** A link to a bug, with the summary as tooltip, struck through when it is closed. */
export const BugLink = ({ id, bugs, comment, children }) => {
  const bug = bugs.get(id);
  const classes = bug?.is_open === false ? 'bug closed' : 'bug';
  const title = bug && `${bug.status} ${bug.resolution} – ${bug.summary}`;
  return html`<a class=${classes} href=${bugUrl(id, comment)} title=${title}>${children}</a>`;
};

/** Says something below the header, also to those who do not see it. */
export const say = (text) => {
  document.getElementById('notice').textContent = text;
};

/** Tells the page that something was saved: it is read again, shows the text, and focuses the element `focus`, or the text. */
export const tellSaved = (text, focus = 'notice') =>
  dispatchEvent(new CustomEvent('bugless-saved', { detail: { text, focus } }));

/** Whether a key is pressed alone, where nothing is being written. */
export const isShortcut = (event, key) =>
  event.key === key &&
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  event.target.closest('input, textarea, select') === null;

/** Offers bytes as a file. */
export function saveFile(blob, name) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/** A link to an address of a user, if it is one of the web. */
export const WebLink = ({ url }) =>
  /^https?:\/\//i.test(url) ? html`<a href=${url} rel="noreferrer">${url}</a>` : url;

const WEB = /https?:\/\/(?:\([^\s<>"()]*\)|[^\s<>"()])*(?:\([^\s<>"()]*\)|[^\s<>"().,;:!?'\]}])/;
const REFERENCES = /\bbug\s+#?(\d+)(?:,?\s+comment\s+#?(\d+))?|\bcomment\s+#?(\d+)|\battachment\s+#?(\d+)/;
const LINKS = new RegExp(`${WEB.source}|${REFERENCES.source}`, 'gi');

/** The ids of the bugs that texts refer to. */
export const referredBugs = (texts) =>
  texts.flatMap((text) => [...text.matchAll(LINKS)].flatMap(([, id]) => (id ? [Number(id)] : [])));

/** A text with links for addresses, `bug 12`, `comment 3` and `attachment 5`, quotations marked. */
export const Text = ({ text, bugs }) =>
  html`<div class="comment-text">${text.split('\n').map((line) => {
    const linked = [withLinks(line, bugs), '\n'];
    return line.startsWith('>') ? html`<span class="quotation">${linked}</span>` : linked;
  })}</div>`;

function withLinks(line, bugs) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(LINKS)) {
    const [whole, bug, commentOfBug, comment, attachment] = match;
    parts.push(line.slice(end, match.index));
    end = match.index + whole.length;
    if (bug)
      parts.push(html`<${BugLink} id=${Number(bug)} comment=${commentOfBug} bugs=${bugs}>${whole}<//>`);
    else if (comment) parts.push(html`<a href=${`#c${comment}`}>${whole}</a>`);
    else if (attachment) parts.push(html`<a href=${`#a${attachment}`}>${whole}</a>`);
    else parts.push(html`<${WebLink} url=${whole} />`);
  }
  return [...parts, line.slice(end)];
}
