import htm from 'htm';
import { Component, h, render } from 'preact';
import { apiKey, request, serverTime } from './rest.js';

/** JSX as a template: values become text and attributes, never HTML. */
export const html = htm.bind(h);

const PATHS = {
  bug: 'M8 5.2c2 0 3 1.4 3 3.6S9.8 13.5 8 13.5s-3-2.5-3-4.7 1-3.6 3-3.6ZM6 5.2C6 3.6 6.8 2.8 8 2.8s2 .8 2 2.4M5 9H2.5M13.5 9H11M5.2 6.5 3.2 4.8M10.8 6.5l2-1.7M5.4 11.6l-2 1.6M10.6 11.6l2 1.6',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM14 14l-3.4-3.4',
  pen: 'M3 13l.6-2.6L10.8 3.2a1.1 1.1 0 0 1 1.6 0l.4.4a1.1 1.1 0 0 1 0 1.6L5.6 12.4 3 13Z',
  more: 'M3.2 7.6h.6v.8h-.6zM7.7 7.6h.6v.8h-.6zM12.2 7.6h.6v.8h-.6z',
  dot: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10ZM8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4Z',
  ring: 'M5 2.9A5.5 5.5 0 0 1 8 2.5M11 3.5a5.5 5.5 0 0 1 2.3 3M13.3 9.5a5.5 5.5 0 0 1-2.3 3M8 13.5a5.5 5.5 0 0 1-3-.4M2.7 9.5a5.5 5.5 0 0 1 0-3',
  busy: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10ZM8 5.5v5M6.5 6.5v3M9.5 6.5v3',
  check: 'm3.5 8.5 3 3 6-7',
  checks: 'm1.5 8.5 3 3 6-7m-2.5 6 1 1 6-7',
  reply: 'M6.5 4 3 7.5 6.5 11M3.5 7.5H9c2.5 0 4 1.5 4 4.5',
  down: 'M4 6.5 8 10l4-3.5',
  left: 'M9.5 4 6 8l3.5 4',
  right: 'M6.5 4 10 8l-3.5 4',
  plus: 'M8 3.5v9M3.5 8h9',
  cross: 'm4.5 4.5 7 7m0-7-7 7',
  star: 'm8 2.5 1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8L2.5 6.5 6.3 6 8 2.5Z',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.2a2.5 2.5 0 0 1 5 0v2.3',
  clip: 'M12.5 7.5 8 12a3 3 0 0 1-4.2-4.2l5-5a2 2 0 0 1 2.8 2.8l-5 5a1 1 0 0 1-1.4-1.4L9.5 5',
  filter: 'M2.5 4h11M4.5 8h7M6.500 12h3',
  eye: 'M1.8 8S4 4 8 4s6.200 4 6.200 4-2.200 4-6.200 4S1.800 8 1.800 8ZM8 9.600a1.600 1.600 0 1 0 0-3.200 1.600 1.600 0 0 0 0 3.200Z',
  up: 'M8 12.5v-9M4.5 7 8 3.5 11.5 7',
  downwards: 'M8 3.5v9M4.5 9 8 12.5 11.500 9',
  warning: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.3v.01',
  columns: 'M2.5 3.5h11v9h-11zM6.5 3.5v9M10 3.5v9',
};

/** A picture beside a word, or in a button with a label. */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
/** Units in seconds, the largest first. */
const UNITS = { year: 31_556_952, month: 2_629_746, week: 604_800, day: 86_400, hour: 3_600, minute: 60 };

/** How long ago a time is by the server's clock, in the largest unit that fits. */
function relativeTime(date) {
  const seconds = (date.getTime() - serverTime()) / 1_000;
  const [unit, size] = Object.entries(UNITS).find(([, one]) => Math.abs(seconds) >= one) ?? ['minute', 60];
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** How long ago a time is; the time itself, in the reader's zone, is the tooltip, and printed. */
export const When = ({ at }) => {
  const date = new Date(at);
  return html`<time dateTime=${at} title=${TIME.format(date)}>${relativeTime(date)}</time>`;
};

/** A number with separators of thousands. */
export const number = (value) => new Intl.NumberFormat(undefined).format(value);

/** `3 bugs`, `1 bug`. */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** A size in units of 1,000 bytes. */
export const sizeText = (bytes) =>
  bytes < 1_000 ? counted(bytes, 'byte') : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;

/** The names in a text, which commas separate. */
export const names = (text) => text.split(/\s*,\s*/).flatMap((name) => name.trim() || []);

/** Entries that are shown at first, where there are more. */
const SHOWN = 8;

/** What is short at first: `short` gives that with the button for the whole, which `more` names; `whole` gives all. */
export class Unfold extends Component {
  render({ short, more, whole }, { isWhole }) {
    const unfold = () => this.setState({ isWhole: true });
    if (isWhole) return whole();
    return short(html`<button type="button" class="tiny quiet" onClick=${unfold}>${more}</button>`);
  }
}

/** A list; of many entries the first ones, and a button for the others. */
export const Shortened = ({ children }) => {
  const list = (some) => html`<ul>${some.map((one) => html`<li>${one}</li>`)}</ul>`;
  if (children.length <= SHOWN) return list(children);
  const short = (button) => html`${list(children.slice(0, SHOWN))}${button}`;
  return html`<${Unfold} ...${{ short, more: `${children.length - SHOWN} more`, whole: () => list(children) }} />`;
};

/** A description of a product, which may have simple HTML, as text. */
export const withoutTags = (description) => description.replaceAll(/<[^>]*>/g, '');

/** What a user is called: the real name, or else the login up to `@`. */
export const shownName = (login, names = {}) => names[login] || login.split('@')[0];

const COLOURS = ['', 'h1', 'h2', 'h3', 'h4', 'h5'];
/** The initials of a person in a colour of their own. */
export const Face = ({ login, names }) => {
  const words = shownName(login, names).match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const initials = words.length === 1 ? words[0].slice(0, 2) : words[0][0] + words.at(-1)[0];
  const sum = [...login].reduce((total, letter) => total + letter.codePointAt(0), 0);
  return html`<span class=${`face ${COLOURS[sum % COLOURS.length]}`} aria-hidden="true">${initials.toUpperCase()}</span>`;
};

/** A user, as a link to what is assigned to them, or was reported by them. */
export const Person = ({ login, names = {}, hasFace = false }) => {
  const roles = { emailassigned_to1: 1, emailreporter1: 1 };
  const emailtype1 = login.includes('@') ? 'exact' : 'substring';
  const address = listUrl({ email1: login, emailtype1, ...roles, bug_status: '__open__' });
  return html`<a class="who" title=${login} href=${address}>${hasFace && html`<${Face} login=${login} names=${names} />`}<span dir="auto">${shownName(login, names)}</span></a>`;
};

/** How a state is drawn: its colour and its picture. */
function lookOf({ status, is_open: isOpen = true }) {
  if (!isOpen) return ['closed', status === 'VERIFIED' ? 'checks' : 'check'];
  if (status === 'UNCONFIRMED') return ['new', 'ring'];
  return /PROGRESS|ASSIGNED/.test(status) ? ['busy', 'busy'] : ['', 'dot'];
}

/** The state of a bug: `RESOLVED FIXED`; as a button, if it is given properties of one. */
export const State = ({ bug, button }) => {
  const [look, icon] = lookOf(bug);
  const text = `${bug.status} ${bug.resolution ?? ''}`.trim();
  const content = html`<${Icon} name=${icon} />${text}`;
  if (button === undefined) return html`<span class=${`state ${look}`}>${content}</span>`;
  return html`<button type="button" class=${`state ${look}`} aria-label=${`Status: ${text}. Change`} ...${button}>${content}<${Icon} name="down" /></button>`;
};

/** The address of a bug's page. */
export const bugUrl = (id, comment) =>
  `show_bug.cgi?id=${encodeURIComponent(id)}${comment === undefined ? '' : `#c${comment}`}`;

/** The address of a list of bugs that meet conditions. */
export const listUrl = (conditions) => `buglist.cgi?${new URLSearchParams(conditions)}`;

/** A link to a bug, with the summary as tooltip, struck through when it is closed. */
export const BugLink = ({ id, bugs, comment, children }) => {
  const bug = bugs.get(id);
  const title = bug && `${bug.status} ${bug.resolution} – ${bug.summary}`;
  return html`<a class=${bug?.is_open === false ? 'closed-bug' : undefined} href=${bugUrl(id, comment)} title=${title} dir="auto">${children}</a>`;
};

/** A condition, or a word of a list; with `onRemove` it can be taken away. */
export const Chip = ({ label, onRemove, children = label, kind = '' }) =>
  html`<span class=${`chip ${kind}`}><span dir="auto">${children}</span>${onRemove && html`<button type="button" class="remove" aria-label=${`Without ${label}`} onClick=${onRemove}><${Icon} name="cross" /></button>`}</span>`;

/** What is said in place: of a problem, or of what one should know. `id`: where it gets the focus */
export const Notice = ({ kind = '', id, children }) =>
  html`<div class=${`notice ${kind}`} role=${kind === 'bad' ? 'alert' : undefined} id=${id} tabindex=${id && '-1'}><${Icon} name="warning" />${children}</div>`;

const intoView = (element) => element?.scrollIntoView({ block: 'nearest', inline: 'center' });

/** Tabs that are links. `tabs`: name, address and whether it is the one that is shown, which a phone scrolls to */
export const Tabs = ({ label, tabs }) =>
  html`<nav class="tabs" aria-label=${label}>${tabs.map(([text, address, isShown]) => html`<a href=${address} aria-current=${isShown ? 'page' : undefined} dir="auto" ref=${isShown ? intoView : undefined}>${text}</a>`)}</nav>`;

/** A menu that a button opens; it closes by Escape, and by a click elsewhere (main.js). Its content is there while it is open. */
export class Menu extends Component {
  toggle = ({ target, currentTarget }) => {
    if (target !== currentTarget) return;
    const { onOpen, onClose } = this.props;
    this.setState({ isOpen: target.open }, target.open ? onOpen : onClose);
  };

  render({ id, label, name, icon, kind = 'button quiet', children, ...more }, { isOpen }) {
    const { side = '', className = '', hasArrow = name !== undefined } = more;
    return html`<details class=${`menu ${className}`} onToggle=${this.toggle}>
      <summary id=${id} class=${kind} aria-label=${label}>${icon && html`<${Icon} name=${icon} />`}${name}${hasArrow && html`<${Icon} name="down" />`}</summary>
      <div class=${`panel ${side}`}>${isOpen && children}</div></details>`;
  }
}

/** What is read when it is shown: `read` reads it, `children` draws it; before, undefined; where that fails, the problem has a `message`. */
export class Reading extends Component {
  async componentDidMount() {
    this.setState({ found: await this.props.read().catch((problem) => problem) });
  }

  render({ children }, { found }) {
    return children(found);
  }
}

/** A component whose code is loaded with its first use: `from` imports it, `part` is its name; where that fails, `onFail` is called. */
export const Lazy = ({ from, part, onFail, ...properties }) => {
  const fail = () => {
    say('It cannot be loaded. Try again.');
    onFail?.();
  };
  return html`<${Reading} read=${() => from().catch(fail)}>${(module) => module && html`<${module[part]} ...${properties} />`}<//>`;
};

/** A table of things that are administered, which scrolls by itself where it is too wide. `heads`: `#` before one of numbers, '' of actions */
export const Table = ({ caption, heads, rows }) =>
  html`<div class="scroll" role="region" aria-label=${`${caption}: table`} tabindex="0"><table class="admin-table"><caption class="sr">${caption}</caption>
  <thead><tr>${heads.map((head) => html`<th scope="col" class=${head.startsWith('#') ? 'right' : undefined}>${head === '' ? html`<span class="sr">Actions</span>` : head.replace('#', '')}</th>`)}</tr></thead>
  <tbody>${rows}</tbody></table></div>`;

let hiding;

/** Says something at the foot of the window, for 6 s, and while it is pointed at or has the focus. `undo`: what a button takes back */
export function say(text, undo) {
  const place = document.getElementById('notice');
  clearTimeout(hiding);
  const takeBack = () => {
    say('');
    undo();
  };
  const toast = html`<div class="toast">${text}${undo && html`<button type="button" onClick=${takeBack}>Undo</button>`}</div>`;
  render(text === '' ? null : toast, place);
  const hide = () => {
    if (place.matches(':hover, :focus-within')) hiding = setTimeout(hide, SAID_MS);
    else render(null, place);
  };
  hiding = setTimeout(hide, SAID_MS);
}

/** Says at the top what stops the page, until it is solved; undefined: it is. */
export function showBar(content) {
  const bar = html`<div class="notice bar" role="alert" tabindex="-1"><${Icon} name="warning" />${content}</div>`;
  render(content ? bar : null, document.getElementById('bar'));
}

/** Waits for something that is done without a form, and says what goes wrong with it. */
export const attempt = (doing) => doing.catch(({ message }) => say(message));

/** How long it is said that something was done, in ms. */
export const SAID_MS = 6_000;

/** Tells the page that something was saved: it is read again, shows the text, and focuses the element `focus`, or the text. */
export const tellSaved = (text, focus = 'notice', undo = undefined) =>
  dispatchEvent(new CustomEvent('bugless-saved', { detail: { text, focus, undo } }));

/** Copies a text, which is called so. */
export const copyText = (text, name) =>
  navigator.clipboard.writeText(text).then(
    () => say(`${name} is copied.`),
    () => say('The browser does not copy it.'),
  );

/** Gives the focus to the element of an id, if it is there. */
export const focusOn = (id) => document.getElementById(id)?.focus();

/** A component that listens as long as it is shown. */
export class Listening extends Component {
  shown = new AbortController();

  listen(names, handle, target = globalThis) {
    for (const name of names.split(' ')) target.addEventListener(name, handle, { signal: this.shown.signal });
  }

  /** Does what `keys` has of a key that is pressed alone; not in dialogs, nor in menus. */
  listenToKeys(keys) {
    this.listen('keydown', (event) => {
      const { key, target, defaultPrevented } = event;
      if (!Object.hasOwn(keys, key) || defaultPrevented || !(key === 'Escape' || isShortcut(event, key)))
        return;
      const isOnControl = key === 'Enter' && target.closest('a, button, summary, input') !== null;
      if (isOnControl || target.closest('dialog, summary, details[open]') !== null) return;
      event.preventDefault();
      keys[key](this);
    });
  }

  componentWillUnmount() {
    this.shown.abort();
  }
}

/** When something is looked up, in ms after the last letter. */
const PAUSE_MS = 300;

/** A component that looks up what is typed, one request at a time. Subclasses have `read(wanted)`, which returns what the state gets. */
export class LookingUp extends Component {
  lookUpSoon(wanted) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.wanted = wanted;
      this.lookUp();
    }, PAUSE_MS);
  }

  async lookUp() {
    const { wanted } = this;
    if (this.isReading || wanted === this.known) return;
    this.known = wanted;
    this.isReading = true;
    const found = await this.read(wanted).catch(() => ({}));
    this.isReading = false;
    if (this.wanted === wanted) this.setState(found);
    // What was typed meanwhile.
    else await this.lookUp();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }
}

/** A button that asks in its place before it does something. `name` of the button, `of`: what it is about; `question`, `yes`: what the button of the answer says */
export class Confirm extends Component {
  render({ name, of = '', question, yes, kind = 'tiny danger', onYes }, { isAsking }) {
    const ask = (is) => () => this.setState({ isAsking: is });
    const label = (text) => (of === '' ? undefined : `${text} ${of}`);
    if (!isAsking)
      return html`<button type="button" class=${kind} aria-label=${label(name)} onClick=${ask(true)}>${name}</button>`;
    const answer = () => {
      this.setState({ isAsking: false });
      onYes();
    };
    return html`<span class="line" role="group" aria-label=${name}><span>${question}</span><button type="button" class="tiny danger" aria-label=${label(yes)} onClick=${answer}>${yes}</button><button type="button" class="tiny quiet" onClick=${ask(false)}>Keep</button></span>`;
  }
}

/** Whether single keys do something; the reader turns them off in the preferences. */
export const hasKeys = () => localStorage.getItem('bugless-keys') !== 'off';

/** Whether comments are shown as they were typed; the reader turns that on in the preferences. */
export const isTyped = () => localStorage.getItem('bugless-typed') === 'on';

/** Whether a key is pressed alone, where nothing is being written. */
export const isShortcut = (event, key) =>
  event.key === key &&
  hasKeys() &&
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  event.target.closest('textarea, select, [type="search"], input:not([type="checkbox"], [type="radio"])') ===
    null;

/** Saves what is at an address as a file with the reader's key, which a link cannot send; without a key, the link is followed. */
export async function save(event, address, name) {
  if (apiKey() === '') return;
  event.preventDefault();
  try {
    const href = URL.createObjectURL(await (await request(address)).blob());
    Object.assign(document.createElement('a'), { href, download: name }).click();
    URL.revokeObjectURL(href);
  } catch ({ message }) {
    say(message);
  }
}

/** A link to an address of a user, if it is one of the web. */
export const WebLink = ({ url }) =>
  /^https?:\/\//i.test(url) ? html`<a href=${url} rel="noreferrer">${url}</a>` : url;
