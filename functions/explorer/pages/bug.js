import { Component } from 'preact';
import { readDraft, removeDraftsOf } from './drafts.js';
import {
  BugLink,
  html,
  Person,
  referredBugs,
  Shortened,
  State,
  saveFile,
  WebLink,
  When,
} from './elements.js';
import { addLabels, labelOf } from './labels.js';
import { apiKey, reader, request, rest, restOnce } from './rest.js';
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
  const [bugs, names, labels] = await Promise.all([
    alone('Other bugs', knownBugs(view), new Map()),
    realNames(view),
    alone('Custom fields', customLabels(bug), []),
  ]);
  return {
    title: `${bug.id} – ${bug.alias.length > 0 ? `(${bug.alias.join(', ')}) ` : ''}${bug.summary}`,
    content: html`<${Bug} ...${{ ...view, bugs, names, labels }} />`,
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

const Bug = (view) => html`
  <header class="bug-heading">
    <p><${State} bug=${view.bug} /> Bug ${[view.bug.id, ...view.bug.alias].join(', ')} ${view.bug.groups?.length > 0 && html`<span class="badge">Restricted</span>`} <a href="#fields">Fields</a></p>
    <h1>${view.bug.summary}</h1>
  </header>
  <div class="columns">
    <section class="timeline" aria-label="Comments and changes">
      ${view.problems.map((problem) => html`<p role="alert">${problem}</p>`)}
      <${Timeline} ...${view} />
      <${Writing} ...${view} />
    </section>
    <aside id="fields" aria-label="Fields"><${Fields} ...${view} /><${Attachments} ...${view} /></aside>
  </div>`;

/** Opens the form for comments and changes, at once if there is a draft. Its code is read then. */
class Writing extends Component {
  componentDidMount() {
    const { user, bug } = this.props;
    if (user !== undefined && readDraft(user.name, bug.id) !== undefined) this.open(false);
  }

  async open(hasFields) {
    try {
      const { EditForm } = await import('./edit.js');
      this.setState({ EditForm, hasFields });
    } catch {
      this.setState({ problem: 'The form cannot be loaded. Try again.' });
    }
  }

  render(view, { EditForm, hasFields, problem }) {
    if (view.user === undefined) return html`<p>To comment, sign in above.</p>`;
    if (EditForm !== undefined)
      return html`<${EditForm} ...${{ ...view, hasFields, onClose: () => this.setState({ EditForm: undefined }) }} />`;
    return html`<p class="buttons">
      <button type="button" onClick=${() => this.open(false)}>Comment</button>
      <button type="button" onClick=${() => this.open(true)}>Change fields</button>
      ${problem && html`<span role="alert">${problem}</span>`}
    </p>`;
  }
}

const Attachments = ({ attachments, names }) =>
  attachments.length > 0 &&
  html`<h2>Attachments</h2>
    <ul class="attachments">${attachments.map(
      (one) => html`<li id=${`a${one.id}`} class=${one.is_obsolete ? 'obsolete' : ''}>
        <a href=${attachmentUrl(one.id)} onClick=${(event) => save(event, one)}>${one.summary}</a>
        ${one.is_private ? html` <span class="badge">Private</span>` : ''}
        ${isImage(one) && html`<${Image} attachment=${one} />`}
        <p>${one.file_name}, ${sizeText(one.size)}, <${Person} login=${one.creator} names=${names} />, <${When} at=${one.creation_time} /></p>
        <${Flags} flags=${one.flags} names=${names} />
      </li>`,
    )}</ul>`;

/** A size in units of 1,000 bytes. */
const sizeText = (bytes) =>
  bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;

/** Saves an attachment with the reader's key, which a link cannot send; without a key, the link is followed. */
async function save(event, { id, file_name }) {
  if (apiKey() === '') return;
  event.preventDefault();
  saveFile(await (await request(attachmentUrl(id))).blob(), file_name);
}

/** Images that can hold no script, and the largest that is shown, in bytes. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif'];
const MAX_IMAGE = 2_000_000;

const isImage = ({ content_type, size }) => IMAGES.includes(content_type) && size <= MAX_IMAGE;

/** An image that is read when it is asked for, with the reader's key. */
class Image extends Component {
  async show({ id, content_type }) {
    try {
      const bytes = await (await request(attachmentUrl(id))).arrayBuffer();
      this.setState({ url: URL.createObjectURL(new Blob([bytes], { type: content_type })) });
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  }

  componentWillUnmount() {
    if (this.state.url !== undefined) URL.revokeObjectURL(this.state.url);
  }

  render({ attachment }, { url, problem }) {
    if (problem !== undefined) return html`<p role="alert">${problem}</p>`;
    const fail = () => this.setState({ problem: 'This is not an image, whatever its type says.' });
    if (url !== undefined) return html`<img src=${url} alt=${attachment.summary} onError=${fail} />`;
    return html`<button type="button" onClick=${() => this.show(attachment)}>Show the image</button>`;
  }
}

const attachmentUrl = (id) => `attachment.cgi?id=${id}`;

const Flags = ({ flags = [], names }) =>
  flags.map(({ name, status, setter, requestee }) => {
    const asked = requestee && html` of <${Person} login=${requestee} names=${names} />`;
    return html`<div class="flag"><b>${name}${status}</b>${asked} by <${Person} login=${setter} names=${names} /></div>`;
  });

/** The fields of a bug in their order. */
const FIELDS =
  `product component version target_milestone severity priority platform op_sys assigned_to creator
  qa_contact cc keywords whiteboard url depends_on blocks dupe_of see_also flags groups deadline estimated_time
  actual_time remaining_time creation_time last_change_time`.split(/\s+/);
/** Values that mean none. */
const NONE = ['', '---', '—', 0];

/** The fields that have a value. */
const Fields = ({ bug, bugs, names, labels }) => {
  const person = (login) => html`<${Person} login=${login} names=${names} />`;
  const link = (id) => html`<${BugLink} id=${id} bugs=${bugs}>${id} ${bugs.get(id)?.summary}<//>`;
  const web = (url) => html`<${WebLink} url=${url} />`;
  const time = (at) => html`<${When} at=${at} isExact />`;
  const show = {
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
  const rows = [...FIELDS, ...labels.map(([name]) => name)].map((name) => {
    const values = [bug[name] ?? []].flat().filter((value) => !NONE.includes(value));
    const shown = values.map((value) => html`<div>${show[name]?.(value) ?? String(value)}</div>`);
    return values.length > 0 && html`<div><dt>${labelOf(name)}</dt><dd><${Shortened}>${shown}<//></dd></div>`;
  });
  return html`<dl>${rows}</dl>`;
};
