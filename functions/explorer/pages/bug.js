import { BugLink, html, Person, referredBugs, State, Text, WebLink, When } from './elements.js';
import { apiKey, request, rest } from './rest.js';

/** The page of a bug, given by id or alias. */
export async function bugPage(parameters) {
  const id = encodeURIComponent(parameters.get('id') ?? '');
  const parts = ['', '/comment', '/history', '/attachment?exclude_fields=data'];
  const [found, comments, history, files] = await Promise.all(
    parts.map((part) => rest(`bug/${id}${part}`).catch(withoutAttachments(part))),
  );
  const [bug] = found.bugs;
  const view = { bug, comments: comments.bugs[bug.id].comments, changes: history.bugs[0].history };
  view.attachments = files.bugs[bug.id] ?? [];
  const [bugs, names, labels] = await Promise.all([knownBugs(view), realNames(view), customLabels(bug)]);
  return {
    title: `${bug.id} – ${bug.summary}`,
    content: html`<${Bug} ...${{ ...view, bugs, names, labels }} />`,
  };
}

/** Nothing where the deployment leaves out attachments, so that their path is unknown; other errors are thrown. */
const withoutAttachments = (part) => (error) => {
  if (part.startsWith('/attachment') && error.code === 32614) return { bugs: {} };
  throw error;
};

/** The bugs that a bug refers to, by id, without those that the reader may not see. */
async function knownBugs({ bug, comments }) {
  const inTexts = referredBugs(comments.map(({ text }) => text));
  const ids = new Set([...bug.depends_on, ...bug.blocks, bug.dupe_of, ...inTexts].filter(Boolean));
  if (ids.size === 0) return new Map();
  const some = [...ids].slice(0, 200).join();
  const { bugs } = await rest(`bug?id=${some}&include_fields=id,summary,status,resolution,is_open`);
  return new Map(bugs.map((one) => [one.id, one]));
}

/** Real names by login; {} when a login has no account. */
async function realNames({ bug, comments, changes, attachments }) {
  const people = [...comments, ...attachments, bug].map(({ creator }) => creator);
  const flags = [bug, ...attachments].flatMap((one) => one.flags ?? []);
  people.push(bug.assigned_to, bug.qa_contact, ...bug.cc, ...changes.map(({ who }) => who));
  people.push(...flags.flatMap(({ setter, requestee }) => [setter, requestee]));
  const logins = [...new Set(people.filter(Boolean))].slice(0, 100);
  const query = new URLSearchParams(logins.map((login) => ['names', login]));
  const { users } = await rest(`user?include_fields=name,real_name&${query}`).catch(() => ({ users: [] }));
  return Object.fromEntries(users.map(({ name, real_name }) => [name, real_name]));
}

/** The names of the custom fields of a bug with their labels. */
async function customLabels(bug) {
  const names = Object.keys(bug).filter((name) => name.startsWith('cf_'));
  if (names.length === 0) return [];
  const { fields } = await rest(`field/bug?${new URLSearchParams(names.map((name) => ['names', name]))}`);
  return fields.map(({ name, display_name }) => [name, display_name]);
}

const Bug = (view) => html`
  <header class="bug-heading">
    <p><${State} bug=${view.bug} /> Bug ${[view.bug.id, ...view.bug.alias].join(', ')} <a href="#fields">Fields</a></p>
    <h1>${view.bug.summary}</h1>
  </header>
  <div class="columns">
    <section class="timeline" aria-label="Comments and changes">${timeline(view)}</section>
    <aside id="fields" aria-label="Fields"><${Fields} ...${view} /><${Attachments} ...${view} /></aside>
  </div>`;

/** Comments and changes, the oldest first. */
function timeline({ comments, changes, names, bugs }) {
  const entries = [
    ...changes.map((change) => [change.when, html`<${Change} ...${{ change, names }} />`]),
    ...comments.map((comment) => [comment.time, html`<${Comment} ...${{ comment, names, bugs }} />`]),
  ];
  return entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, content]) => content);
}

const Comment = ({ comment: { count, creator, time, text, tags = [], is_private }, names, bugs }) => html`
  <article id=${`c${count}`} class=${is_private ? 'private' : ''}>
    <header>
      <b><${Person} login=${creator} names=${names} /></b> <${When} at=${time} isExact />
      ${is_private && html`<span class="badge">Private</span>`}
      ${tags.map((tag) => html`<span class="tag">${tag}</span>`)}
      <a class="number" href=${`#c${count}`}>${count === 0 ? 'Description' : `Comment ${count}`}</a>
    </header>
    <${Text} text=${text} bugs=${bugs} />
  </article>`;

const Change = ({ change: { who, when, changes }, names }) => html`
  <div class="change">
    <b><${Person} login=${who} names=${names} /></b> <${When} at=${when} isExact />
    <ul>${changes.map(
      ({ field_name, removed, added }) =>
        html`<li>${field_name.replaceAll('_', ' ')}: ${removed && html`<del>${removed}</del>`} ${added && html`<ins>${added}</ins>`}</li>`,
    )}</ul>
  </div>`;

const Attachments = ({ attachments, names }) =>
  attachments.length > 0 &&
  html`<h2>Attachments</h2>
    <ul class="attachments">${attachments.map(
      (one) => html`<li id=${`a${one.id}`} class=${one.is_obsolete ? 'obsolete' : ''}>
        <a href=${attachmentUrl(one.id)} onClick=${(event) => save(event, one)}>${one.summary}</a>
        ${one.is_private ? html` <span class="badge">Private</span>` : ''}
        <p>${one.file_name}, ${one.size} bytes, <${Person} login=${one.creator} names=${names} />, <${When} at=${one.creation_time} /></p>
        <${Flags} flags=${one.flags} names=${names} />
      </li>`,
    )}</ul>`;

/** Saves an attachment with the reader's key, which a link cannot send; without a key, the link is followed. */
async function save(event, { id, file_name }) {
  if (apiKey() === '') return;
  event.preventDefault();
  const href = URL.createObjectURL(await (await request(attachmentUrl(id))).blob());
  Object.assign(document.createElement('a'), { href, download: file_name }).click();
  URL.revokeObjectURL(href);
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
const LABELS = {
  ...{ op_sys: 'OS', assigned_to: 'assignee', creator: 'reporter', cc: 'CC', url: 'URL' },
  ...{ dupe_of: 'duplicate of', creation_time: 'created', last_change_time: 'changed' },
};
/** Values that mean none. */
const NONE = ['', '---', '—', 0];

/** The fields that have a value. */
const Fields = ({ bug, bugs, names, labels }) => {
  const person = (login) => html`<${Person} login=${login} names=${names} />`;
  const link = (id) => html`<${BugLink} id=${id} bugs=${bugs}>${id} ${bugs.get(id)?.summary}<//>`;
  const web = (url) => html`<${WebLink} url=${url} />`;
  const time = (at) => html`<${When} at=${at} isExact />`;
  const show = {
    ...{ assigned_to: person, creator: person, qa_contact: person, cc: person, url: web, see_also: web },
    ...{ depends_on: link, blocks: link, dupe_of: link, creation_time: time, last_change_time: time },
    flags: (flag) => html`<${Flags} flags=${[flag]} names=${names} />`,
  };
  const all = [...FIELDS.map((name) => [name, LABELS[name] ?? name.replaceAll('_', ' ')]), ...labels];
  const rows = all.map(([name, label]) => {
    const values = [bug[name] ?? []].flat().filter((value) => !NONE.includes(value));
    const shown = values.map((value) => html`<div>${show[name]?.(value) ?? String(value)}</div>`);
    return values.length > 0 && html`<div><dt>${label}</dt><dd>${shown}</dd></div>`;
  });
  return html`<dl>${rows}</dl>`;
};
