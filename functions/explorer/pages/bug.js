import { BugLink, html, Person, referredBugs, State, Text, WebLink, When } from './elements.js';
import { apiKey, request, rest } from './rest.js';

/** The page of a bug, given by id or alias. */
export async function bugPage(parameters) {
  const id = encodeURIComponent(parameters.get('id') ?? '');
  const [
    {
      bugs: [bug],
    },
    comments,
    history,
    attachments,
  ] = await Promise.all([
    rest(`bug/${id}`),
    rest(`bug/${id}/comment`),
    rest(`bug/${id}/history`),
    // This group of endpoints may be left out.
    rest(`bug/${id}/attachment?exclude_fields=data`).catch(() => ({ bugs: {} })),
  ]);
  const view = { bug, comments: comments.bugs[bug.id].comments, changes: history.bugs[0].history };
  view.attachments = attachments.bugs[bug.id] ?? [];
  const [bugs, names, labels] = await Promise.all([knownBugs(view), realNames(view), customLabels(bug)]);
  return {
    title: `${bug.id} – ${bug.summary}`,
    content: html`<${Bug} ...${{ ...view, bugs, names, labels }} />`,
  };
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

/** Real names by login; {} when a login has no account. */
async function realNames({ bug, comments, changes, attachments }) {
  const logins = [bug.creator, bug.assigned_to, bug.qa_contact, ...bug.cc];
  logins.push(
    ...[...comments, ...attachments].map(({ creator }) => creator),
    ...changes.map(({ who }) => who),
  );
  logins.push(...(bug.flags ?? []).flatMap(({ setter, requestee }) => [setter, requestee]));
  const query = new URLSearchParams(
    [...new Set(logins)]
      .filter(Boolean)
      .slice(0, 100)
      .map((one) => ['names', one]),
  );
  const { users } = await rest(`user?include_fields=name,real_name&${query}`).catch(() => ({ users: [] }));
  return Object.fromEntries(users.map(({ name, real_name }) => [name, real_name]));
}

/** The labels of the custom fields of a bug, by name. */
async function customLabels(bug) {
  const names = Object.keys(bug).filter((name) => name.startsWith('cf_'));
  if (names.length === 0) return [];
  const { fields } = await rest(`field/bug?${new URLSearchParams(names.map((name) => ['names', name]))}`);
  return fields.map(({ name, display_name }) => [name, display_name]);
}

const Bug = (view) => html`
  <header class="bug-heading">
    <p><${State} bug=${view.bug} /> Bug ${view.bug.id} ${view.bug.alias.length > 0 && `(${view.bug.alias.join(', ')})`}</p>
    <h1>${view.bug.summary}</h1>
  </header>
  <div class="columns">
    <section class="timeline" aria-label="Comments and changes">${timeline(view)}</section>
    <aside aria-label="Fields"><${Fields} ...${view} /><${Attachments} ...${view} /></aside>
  </div>`;

/** Comments and changes, the oldest first. */
function timeline({ comments, changes, names, bugs }) {
  const entries = [
    ...changes.map((change) => ({ at: change.when, content: html`<${Change} ...${{ change, names }} />` })),
    ...comments.map((one) => ({
      at: one.time,
      content: html`<${Comment} ...${{ comment: one, names, bugs }} />`,
    })),
  ];
  return entries.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))).map(({ content }) => content);
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

/** The fields that have a value. */
const Fields = ({ bug, bugs, names, labels }) => {
  const people = (logins) =>
    logins.filter(Boolean).map((login) => html`<div><${Person} login=${login} names=${names} /></div>`);
  const links = (ids) =>
    ids
      .filter(Boolean)
      .map((id) => html`<div><${BugLink} id=${id} bugs=${bugs}>${id} ${bugs.get(id)?.summary}<//></div>`);
  const web = (urls) => urls.filter(Boolean).map((url) => html`<div><${WebLink} url=${url} /></div>`);
  const time = (at) => at && html`<${When} at=${at} isExact />`;
  const rows = [
    ['Product', bug.product],
    ['Component', bug.component],
    ['Version', bug.version],
    ['Target milestone', bug.target_milestone.replace(/^(---|—)$/, '')],
    ['Severity', bug.severity],
    ['Priority', bug.priority.replace(/^---$/, '')],
    ['Platform', [bug.platform, bug.op_sys].join(', ')],
    ['Assignee', people([bug.assigned_to])],
    ['Reporter', people([bug.creator])],
    ['QA contact', people([bug.qa_contact])],
    ['CC', people(bug.cc)],
    ['Keywords', bug.keywords.join(', ')],
    ['Whiteboard', bug.whiteboard],
    ['URL', web([bug.url])],
    ['Depends on', links(bug.depends_on)],
    ['Blocks', links(bug.blocks)],
    ['Duplicate of', links([bug.dupe_of])],
    ['See also', web(bug.see_also)],
    ['Flags', Flags({ flags: bug.flags, names })],
    ['Groups', bug.groups.join(', ')],
    ['Deadline', bug.deadline],
    ['Estimated hours', bug.estimated_time],
    ['Hours worked', bug.actual_time],
    ['Hours left', bug.remaining_time],
    ...labels.map(([name, label]) => [label, String([bug[name] ?? ''].flat().join(', '))]),
    ['Created', time(bug.creation_time)],
    ['Changed', time(bug.last_change_time)],
  ];
  const isEmpty = (value) => !value || value.length === 0;
  return html`<dl>${rows.map(([label, value]) => !isEmpty(value) && html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
};
