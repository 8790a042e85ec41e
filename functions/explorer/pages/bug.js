import { Component } from 'preact';
import { Attachments, Flags } from './attachments.js';
import { readDraft, readUploads, removeDraftsOf } from './drafts.js';
import {
  BugLink,
  html,
  isShortcut,
  listUrl,
  Person,
  referredBugs,
  Shortened,
  State,
  say,
  tellSaved,
  WebLink,
  When,
} from './elements.js';
import { addLabels, labelOf } from './labels.js';
import { reader, readerOf, rest, restOnce, send } from './rest.js';
import { mayChange } from './rights.js';
import { namedCount, readAround, readDescription, readPart, Timeline } from './timeline.js';

/** The most changes that a page has. */
const MAX_CHANGES = 500;

/** The page of a bug, given by id or alias. What fails beside the bug itself is said in its place. */
export async function bugPage(parameters) {
  const id = encodeURIComponent(parameters.get('id') ?? '');
  const problems = [];
  const alone = (what, reading, otherwise) =>
    reading.catch(({ code, message }) => {
      // The deployment may leave out attachments: then their path is unknown.
      if (code !== 32614) problems.push(`${what}: ${message}`);
      return otherwise;
    });
  const [user, found, comments, history, files] = await Promise.all([
    // The header says why a key is not valid.
    reader().catch(() => undefined),
    readBug(id),
    alone('Comments', commentsOf(id), { comments: [], description: [] }),
    alone('Changes', rest(`bug/${id}/history?order=newest&limit=${MAX_CHANGES}`), {
      bugs: [{ history: [] }],
    }),
    alone('Attachments', rest(`bug/${id}/attachment?exclude_fields=data`), { bugs: {} }),
  ]);
  const [bug] = found.bugs;
  const view = { id, problems, user, bug, ...comments, changes: history.bugs[0].history.reverse() };
  view.isTagger = user?.rights.comment_tagger === true;
  view.attachments = files.bugs[bug.id] ?? [];
  const [bugs, names, labels, lastVisit, editor] = await Promise.all([
    alone('Other bugs', knownBugs(view), new Map()),
    realNames(view),
    alone('Custom fields', customLabels(bug), []),
    visit(view),
    alone('Rights', readerOf(user, bug.product), user),
  ]);
  return {
    title: `${bug.id} – ${bug.alias.length > 0 ? `(${bug.alias.join(', ')}) ` : ''}${bug.summary}`,
    content: html`<${Bug} ...${{ ...view, user: editor, bugs, names, labels, lastVisit }} />`,
  };
}

/** Reads a bug with its version. Drafts about a bug that is refused are removed. */
async function readBug(id) {
  try {
    return await rest(`bug/${id}?include_fields=_default,bugless_version`);
  } catch (problem) {
    if (problem.status === 401 || problem.status === 404) {
      removeDraftsOf(id);
    }
    throw problem;
  }
}

/** The newest comments, or those around the one that the address names, and the description where these do not have it. */
async function commentsOf(id) {
  const newest = await readPart(id);
  const count = namedCount();
  const isThere = count === undefined || count === 0 || newest.some((one) => one.count === count);
  const comments = isThere || newest[0]?.count === 0 ? newest : await readAround(id, count);
  const [first] = comments;
  const description = first === undefined || first.count <= 1 ? [] : await readDescription(id);
  return { comments, description };
}

/**
 * When the reader was here before, which is kept of bugs that concern them; undefined: it is not known. That they are here now is
 * told after the page is shown.
 */
async function visit({ bug, user }) {
  if (![bug.creator, bug.assigned_to, bug.qa_contact, ...bug.cc].includes(user?.name)) return undefined;
  const path = `bug_user_last_visit/${bug.id}`;
  const visits = await rest(path).catch(() => []);
  setTimeout(() => send('POST', path, {}).catch(() => undefined));
  return visits[0]?.last_visit_ts;
}

/** The bugs that a bug refers to, by id, without those that the reader may not see. */
async function knownBugs({ bug, comments }) {
  const inTexts = referredBugs(comments.map(({ text }) => text));
  const ids = new Set([...bug.depends_on, ...bug.blocks, bug.dupe_of, ...inTexts].filter(Boolean));
  if (ids.size === 0) return new Map();
  const some = [...ids].slice(0, 200).join();
  const { bugs } = await rest(`bug?id=${some}&include_fields=id,summary,status,resolution,is_open`);
  return new Map(bugs.map((one) => [one.id, one]));
}

/** Real names by login, of which the bug tells many; those of a login without an account are unknown. */
async function realNames({ bug, comments, description, changes, attachments }) {
  const people = [...comments, ...description, ...attachments, bug].map(({ creator }) => creator);
  const flags = [bug, ...attachments].flatMap((one) => one.flags ?? []);
  people.push(bug.assigned_to, bug.qa_contact, ...bug.cc, ...changes.map(({ who }) => who));
  people.push(...flags.flatMap(({ setter, requestee }) => [setter, requestee]));
  const details = [
    bug.creator_detail,
    bug.assigned_to_detail,
    bug.qa_contact_detail,
    ...(bug.cc_detail ?? []),
  ];
  const known = new Map(details.filter(Boolean).map(({ name, real_name }) => [name, real_name]));
  const logins = [...new Set(people)].filter((login) => login && !known.has(login)).slice(0, 100);
  if (logins.length === 0) return Object.fromEntries(known);
  const query = new URLSearchParams(logins.map((login) => ['names', login]));
  const { users } = await rest(`user?include_fields=name,real_name&${query}`).catch(() => ({ users: [] }));
  for (const { name, real_name } of users) known.set(name, real_name);
  return Object.fromEntries(known);
}

/** The names of the custom fields of a bug with their labels. */
async function customLabels(bug) {
  const names = Object.keys(bug).filter((name) => name.startsWith('cf_'));
  if (names.length === 0) return [];
  const { fields } = await restOnce(`field/bug?${new URLSearchParams(names.map((name) => ['names', name]))}`);
  const labels = fields.map(({ name, display_name }) => [name, display_name]);
  addLabels(labels);
  return labels;
}

/** Goes to the form, which is opened, with a quotation if there is one. */
const write = (written = {}) => dispatchEvent(new CustomEvent('bugless-write', { detail: written }));

/** `e` changes the field that has the focus, or that the pointer is at; else the status. */
function changeByKey(event) {
  if (!isShortcut(event, 'e')) return;
  const row = document.activeElement.closest('.row') ?? document.querySelector('.row:hover') ?? document;
  const button = row.querySelector('.pencil');
  if (button === null) return;
  event.preventDefault();
  button.click();
}

class Bug extends Component {
  componentDidMount() {
    addEventListener('keydown', changeByKey);
  }

  componentWillUnmount() {
    removeEventListener('keydown', changeByKey);
  }

  render(view, { hasFields = false }) {
    const { bug } = view;
    const onFields = (isShown) => this.setState({ hasFields: isShown });
    return html`
      <header class="bug-heading">
        <div class="row"><${Editable} name="status" view=${view}><${State} bug=${bug} /><//>
          <span>Bug ${[bug.id, ...bug.alias].join(', ')}</span> ${bug.groups?.length > 0 && html`<span class="badge">Restricted</span>`}
          <a class="to-fields" href="#fields">Fields</a> <${Ways} ...${view} />
          ${view.user && html`<button type="button" class="plain small" onClick=${() => write()}>Add a comment</button>`}
        </div>
        <div class="row"><${Editable} name="summary" view=${view}><h1>${bug.summary}</h1><//></div>
      </header>
      <div class=${hasFields ? 'columns with-form' : 'columns'}>
        <section class="timeline" aria-label="Comments and changes">
          ${view.problems.map((problem) => html`<p role="alert">${problem}</p>`)}
          <${Timeline} ...${view} onReply=${view.user && write} />
        </section>
        <section class="writing" aria-label="Your part"><${Writing} ...${view} onFields=${onFields} /></section>
        ${!hasFields && html`<aside id="fields" aria-label="Fields"><${Fields} ...${view} /><${Attachments} ...${view} /></aside>`}
      </div>`;
  }
}

/** Comments that a page has before it links to the newest one. */
const FEW = 8;

/** Links into a long bug: to the newest comment, and to the first one of others since the reader was here. */
const Ways = ({ comments, user, lastVisit }) => {
  const unread =
    lastVisit && comments.filter(({ time, creator }) => time > lastVisit && creator !== user.name);
  return html`
    ${unread?.length > 0 && html`<a href=${`#c${unread[0].count}`}>First of ${unread.length} unread</a>`}
    ${comments.length > FEW && html`<a href=${`#c${comments.at(-1).count}`}>Newest comment</a>`}`;
};

/** A value of a field, which is changed where it is by who may: by a click on it, or by its button. The code is read then. */
class Editable extends Component {
  open = async () => {
    try {
      const { InPlace } = await import('./in-place.js');
      this.setState({ InPlace });
    } catch {
      say('The form cannot be loaded. Try again.');
    }
  };

  close = () => {
    const { name } = this.props;
    this.setState({ InPlace: undefined }, () => document.getElementById(`change-${name}`)?.focus());
  };

  render({ name, view, children }, { InPlace }) {
    if (!mayChange(name, view)) return children;
    const label = labelOf(name);
    if (InPlace !== undefined)
      return html`<${InPlace} ...${{ ...view, name, label, focus: `change-${name}`, onClose: this.close }} />`;
    const openByClick = (event) => event.target.closest('a, button') === null && this.open();
    return html`<div class="value" onClick=${openByClick}>${children}
      <button type="button" id=${`change-${name}`} class="pencil" aria-label=${`Change ${label}`} title=${`Change ${label}`} onClick=${this.open}>✎</button></div>`;
  }
}

/** Changes a bug at once, if it is as it was read. */
async function changeAtOnce({ bug }, change, focus) {
  try {
    await send('PUT', `bug/${bug.id}`, change, { 'If-Match': `"${bug.bugless_version}"` });
    tellSaved('Saved.', focus);
  } catch ({ message, status }) {
    say(status === 412 ? 'Others changed this bug meanwhile. Load the page again.' : message);
  }
}

/** Opens the form for comments and changes, at once if there is a draft. Its code is read then. */
class Writing extends Component {
  componentDidMount() {
    const { user, bug } = this.props;
    this.write = ({ detail }) => this.open(false, detail);
    addEventListener('bugless-write', this.write);
    if (user === undefined) return;
    const { name } = user;
    if (readDraft(name, bug.id) !== undefined || readUploads(name, bug.id).length > 0) this.open(false);
  }

  componentWillUnmount() {
    removeEventListener('bugless-write', this.write);
  }

  async open(hasFields, written) {
    try {
      const { EditForm } = await import('./edit.js');
      this.setState({ EditForm, hasFields, written });
    } catch {
      this.setState({ problem: 'The form cannot be loaded. Try again.' });
    }
  }

  render(view, { EditForm, hasFields, written, problem }) {
    if (view.user === undefined) return html`<p>To comment, sign in above.</p>`;
    if (EditForm !== undefined)
      return html`<${EditForm} ...${{ ...view, hasFields, written, onClose: () => this.setState({ EditForm: undefined }) }} />`;
    return html`<p class="buttons">
      <button type="button" onClick=${() => this.open(false)}>Comment</button>
      <button type="button" onClick=${() => this.open(true)}>Change fields</button>
      <a href=${`enter_bug.cgi?cloned_bug_id=${view.bug.id}`}>New bug like this</a>
      ${problem && html`<span role="alert">${problem}</span>`}
    </p>`;
  }
}

/** The fields of a bug in their order, but those of its heading. */
const FIELDS =
  `product component version target_milestone severity priority platform op_sys assigned_to creator
  qa_contact cc keywords whiteboard url depends_on blocks dupe_of see_also flags groups deadline estimated_time
  actual_time remaining_time creation_time last_change_time`.split(/\s+/);
/** Those that are shown without a value, too, to who may change them. */
const OFTEN =
  'target_milestone severity priority assigned_to cc keywords whiteboard depends_on blocks flags'.split(' ');
/** Those that only the interface changes. */
const GIVEN = ['creator', 'dupe_of', 'actual_time', 'creation_time', 'last_change_time'];
/** Values that mean none. */
const NONE = ['', '---', '—', 0];

/** The fields that have a value, or may get one. */
const Fields = (view) => {
  const { bug, bugs, names, labels, user } = view;
  const person = (login) => html`<${Person} login=${login} names=${names} />`;
  const link = (id) => html`<${BugLink} id=${id} bugs=${bugs}>${id} ${bugs.get(id)?.summary}<//>`;
  const web = (url) => html`<${WebLink} url=${url} />`;
  const time = (at) => html`<${When} at=${at} isExact />`;
  const { product } = bug;
  const list = (more) => (name) =>
    html`<a href=${listUrl({ product, ...more, bug_status: '__open__' })}>${name}</a>`;
  const show = {
    product: list({}),
    component: list({ component: bug.component }),
    assigned_to: person,
    creator: person,
    qa_contact: person,
    cc: person,
    url: web,
    see_also: web,
    depends_on: link,
    blocks: link,
    dupe_of: link,
    creation_time: time,
    last_change_time: time,
    flags: (flag) => html`<${Flags} flags=${[flag]} names=${names} />`,
  };
  const atOnce = (text, name, change) =>
    html`<button type="button" class="plain small" onClick=${() => changeAtOnce(view, change, `change-${name}`)}>${text}</button>`;
  const isFollowing = bug.cc.includes(user?.name);
  const buttons = {
    assigned_to: () =>
      bug.assigned_to !== user.name && atOnce('Assign to me', 'assigned_to', { assigned_to: user.name }),
    cc: () =>
      atOnce(isFollowing ? 'Unfollow' : 'Follow', 'cc', {
        cc: { [isFollowing ? 'remove' : 'add']: [user.name] },
      }),
  };
  const rows = [...FIELDS, ...labels.map(([name]) => name)].map((name) => {
    const values = [bug[name] ?? []].flat().filter((value) => !NONE.includes(value));
    const isEditable = !GIVEN.includes(name) && mayChange(name, view);
    if (values.length === 0 && !(isEditable && OFTEN.includes(name))) return undefined;
    const shown = values.map((value) => html`<div>${show[name]?.(value) ?? String(value)}</div>`);
    const content = html`<div class="values"><${Shortened}>${values.length === 0 ? [html`<div class="none">–</div>`] : shown}<//></div>`;
    return html`<div class="row" key=${name}><dt>${labelOf(name)}</dt><dd>
      ${isEditable ? html`<${Editable} name=${name} view=${view}>${content}<//>` : content}
      ${isEditable && buttons[name]?.()}
    </dd></div>`;
  });
  return html`<dl>${rows}</dl>`;
};
