import { Attachments, Flags } from './attachments.js';
import { BugLink, Chip, focusOn, html, Icon, Lazy, listUrl, Person, Shortened, WebLink } from './elements.js';
import { labelOf } from './labels.js';
import { mayChange } from './rights.js';

/** The fields of a bug by section; of time only who tracks it sees more. The alias stands above the bug, but while it is changed. */
const SECTIONS = [
  ['People', ['assigned_to', 'qa_contact', 'creator', 'cc']],
  ['Importance', ['priority', 'severity', 'keywords', 'whiteboard']],
  ['Where', ['product', 'component', 'version', 'target_milestone', 'platform']],
  ['Relations', ['depends_on', 'blocks', 'dupe_of', 'see_also', 'url', 'alias']],
  ['Flags', ['flags']],
  ['Time', ['deadline', 'estimated_time', 'remaining_time', 'work_time']],
  ['Access', ['groups']],
];
/** Values that mean none. */
const NONE = ['', '---', '—', 0];
const HIGHEST = /^(highest|p1|blocker|critical)$/i;

const valuesOf = (bug, name) => {
  if (name === 'platform') return [[bug.platform, bug.op_sys].join(', ')];
  if (name === 'work_time') return [bug.actual_time ?? 0].filter(Boolean);
  return [bug[name] ?? []].flat().filter((value) => !NONE.includes(value));
};

const nameOfRow = (name) => (name === 'platform' ? 'Hardware' : labelOf(name));

/** A field: its value, and a pen for who may change it; while it is changed, a form, whose code is read then. */
export const Row = ({ name, isEditable, isEditing, isSaved, onEdit, extra, children, ...view }) => {
  const label = nameOfRow(name);
  const { by, names: changed = [], mine } = view.conflict ?? {};
  const isTheirs = changed.includes(name);
  const other =
    isTheirs &&
    html`<span class="soft small">${isEditing ? html`${by} changed it to <b dir="auto">${[view.bug[name]].flat().join(', ')}</b>` : mine && `yours: ${mine}`}</span>`;
  if (isEditing) {
    const from = () => import('./edit.js');
    const onClose = () => onEdit(undefined, () => focusOn(`change-${name}`));
    const form = { from, part: 'RowForm', onFail: onClose, name, label, focus: `change-${name}`, onClose };
    return html`<div class=${`row editing ${isTheirs ? 'changed-by-other' : ''}`}><dt class="sr">${label}</dt><dd>${other}<${Lazy} ...${{ ...view, ...form }} /></dd></div>`;
  }
  const isDrafted = view.drafts.has(name);
  return html`<div class=${`row ${name === 'flags' ? 'whole' : ''} ${isSaved ? 'saved' : isTheirs ? 'changed-by-other' : ''}`}><dt class=${name === 'flags' ? 'sr' : undefined}>${label}</dt><dd><div class="values">${children} ${other}</div>
      ${isSaved && html`<span class="done" role="status"><${Icon} name="check" /> saved</span>`}
      ${isDrafted && html`<span class="chip tag">not saved</span>`}
      ${isEditable && extra}
      ${isEditable && html`<button type="button" id=${`change-${name}`} class="pen" aria-label=${`Change ${label}`} title=${`Change ${label}`} onClick=${() => onEdit(name)}><${Icon} name="pen" /></button>`}</dd></div>`;
};

/** What the values of a field look like. */
function shownBy({ bug, bugs, names }) {
  const person = (login) => html`<${Person} login=${login} names=${names} hasFace />`;
  const link = (id) => html`<${BugLink} id=${id} bugs=${bugs}>${id} ${bugs.get(id)?.summary}<//>`;
  const web = (url) => html`<${WebLink} url=${url} />`;
  const list = (more) => (name) =>
    html`<a href=${listUrl({ product: bug.product, ...more, bug_status: '__open__' })} dir="auto">${name}</a>`;
  const grave = (value) =>
    html`<span class=${HIGHEST.test(value) ? 'top-priority' : undefined}>${value}</span>`;
  return {
    product: list({}),
    component: list({ component: bug.component }),
    priority: grave,
    severity: grave,
    keywords: (keyword) =>
      html`<a class="chip tag" href=${listUrl({ keywords: keyword, bug_status: '__open__' })}>${keyword}</a>`,
    assigned_to: person,
    creator: person,
    qa_contact: person,
    cc: person,
    url: web,
    see_also: web,
    depends_on: link,
    blocks: link,
    dupe_of: link,
    deadline: (day) => html`<time dateTime=${day} title=${day}>${day}</time>`,
    flags: (flag) => html`<${Flags} flags=${[flag]} names=${names} />`,
    groups: (group) => html`<${Chip} kind="tag private" label=${group} />`,
  };
}

/** The fields that have a value, in sections, and the names of those that may get one. */
export const Fields = ({ editing, saved, ...view }) => {
  const { bug, labels, user, onEdit, onSave } = view;
  const show = shownBy(view);
  const isEditable = (name) => !view.hasEnded && mayChange(name, view);
  const isActive = (name) => [editing, saved].includes(name);
  const isEmpty = (name) => valuesOf(bug, name).length === 0 && !isActive(name);
  const take =
    user &&
    bug.assigned_to !== user.name &&
    html`<button type="button" class="tiny quiet take" onClick=${() => onSave('assigned_to', { assigned_to: user.name })}>Assign to me</button>`;
  const row = (name) => {
    if (isEmpty(name) || (name === 'alias' && !isActive(name))) return undefined;
    const shown = valuesOf(bug, name).map(
      (value) => show[name]?.(value) ?? html`<span dir="auto">${String(value)}</span>`,
    );
    const content =
      shown.length > 1 ? html`<${Shortened}>${shown}<//>` : (shown[0] ?? html`<span class="soft">–</span>`);
    return html`<${Row} key=${name} ...${{ ...view, name, isEditable: isEditable(name), isEditing: editing === name, isSaved: saved === name }} extra=${name === 'assigned_to' && take}>${content}<//>`;
  };
  const sections = [...SECTIONS, ['More', labels.map(([name]) => name)]];
  const empty = sections.flatMap(([, all]) => all).filter((name) => isEditable(name) && isEmpty(name));
  return html`
    ${sections.map(([title, all], index) => {
      const rows = all.map(row).filter(Boolean);
      return (
        rows.length > 0 &&
        html`<section key=${title}><h2 class=${index === 0 || (all.length === 1 && title !== 'Flags') ? 'sr' : undefined}>${title}</h2><dl>${rows}</dl></section>`
      );
    })}
    <${Attachments} ...${view} />
    ${empty.length > 0 && html`<section class="rest"><span>Empty: </span>${empty.map((name) => html`<button type="button" id=${`change-${name}`} aria-label=${`Change ${nameOfRow(name)}`} onClick=${() => onEdit(name)}>${nameOfRow(name)}</button> `)}</section>`}`;
};

/** The fields that a reader may change, as choices. */
export const editableFields = ({ labels, ...view }) =>
  ['summary', ...SECTIONS.flatMap(([, all]) => all), ...labels.map(([name]) => name)]
    .filter((name) => mayChange(name, view))
    .map((name) => [name, '', nameOfRow(name)]);
