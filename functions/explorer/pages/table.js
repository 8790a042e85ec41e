import { bugUrl, Face, html, Icon, Person, State, shownName, When } from './elements.js';
import { labelOf, tableOf } from './labels.js';

const namesOf = (bug, field) => ({ [bug[field]]: bug[`${field}_detail`]?.real_name });
const person = (field, parameter = field) => ({
  condition: (bug) => ({ [parameter]: bug[field] }),
  text: (bug) => shownName(bug[field], { [bug[field]]: bug[`${field}_detail`]?.real_name }),
  read: `${field},${field}_detail.real_name`,
  face: (bug) => html`<${Face} login=${bug[field]} names=${namesOf(bug, field)} />`,
  show: (bug) => bug[field] && html`<${Person} login=${bug[field]} names=${namesOf(bug, field)} hasFace />`,
});
/** How a priority is drawn. */
const look = (priority) =>
  /^(highest|p1)$/i.test(priority) ? 'top-priority' : priority === '---' ? 'soft' : undefined;
const value = (field, parameter = field) => ({
  read: field,
  condition: (bug) => ({ [parameter]: bug[field] }),
});
const time = (field) => ({ read: field, show: (bug) => html`<${When} at=${bug[field]} />` });

/**
 * The columns of a list by Bugzilla's names: the fields of the interface that are read, what a cell shows, and the parameters by which a
 * search finds the bugs that have the same there.
 */
const COLUMNS = {
  bug_id: { read: 'id', show: ({ id }) => html`<a href=${bugUrl(id)}>${id}</a>`, isNarrow: true },
  short_desc: {
    read: 'id,summary,keywords',
    isNarrow: true,
    show: ({ id, summary, keywords = [] }) =>
      html`<a href=${bugUrl(id)} dir="auto">${summary}</a>${keywords.map((keyword) => html`<span class="chip tag">${keyword}</span>`)}`,
  },
  bug_status: {
    read: 'status,resolution,is_open',
    isNarrow: true,
    show: (bug) => html`<${State} bug=${bug} />`,
    condition: ({ status, resolution }) => ({
      bug_status: status,
      ...(resolution === '' ? {} : { resolution }),
    }),
  },
  resolution: value('resolution'),
  product: value('product'),
  component: {
    read: 'product,component',
    show: ({ component }) => component,
    condition: ({ product, component }) => ({ product, component }),
  },
  version: value('version'),
  target_milestone: value('target_milestone'),
  bug_severity: value('severity', 'bug_severity'),
  priority: {
    ...value('priority'),
    isNarrow: true,
    show: ({ priority }) => html`<span class=${look(priority)}>${priority === '---' ? '–' : priority}</span>`,
  },
  rep_platform: value('platform', 'rep_platform'),
  op_sys: value('op_sys'),
  assigned_to: { ...person('assigned_to'), isNarrow: true },
  reporter: { ...person('creator', 'reporter') },
  qa_contact: { ...person('qa_contact') },
  keywords: { read: 'keywords' },
  status_whiteboard: { read: 'whiteboard' },
  alias: { read: 'alias' },
  dependson: { read: 'depends_on' },
  blocked: { read: 'blocks' },
  deadline: { read: 'deadline' },
  'flagtypes.name': {
    read: 'flags',
    show: ({ flags = [] }) =>
      flags
        .map(({ name, status, requestee }) => `${name}${status}${requestee ? `(${requestee})` : ''}`)
        .join(', '),
  },
  opendate: { ...time('creation_time') },
  changeddate: { ...time('last_change_time'), isNarrow: true },
};
const DEFAULT_COLUMNS =
  'priority short_desc bug_status product component bug_severity assigned_to changeddate'.split(' ');

/** The columns that a list can have besides the number, by Bugzilla's names. */
export const CHOICES = Object.keys(COLUMNS).slice(1);

/** The columns that `columnlist` names, separated by blanks or commas, after the number; unknown ones are left out. */
export function columnsOf(list) {
  const names = list.split(/[\s,]+/).filter(Boolean);
  const chosen = names.includes('all') ? Object.keys(COLUMNS) : names.length === 0 ? DEFAULT_COLUMNS : names;
  return [...new Set(['bug_id', ...chosen])].flatMap((name) => {
    if (Object.hasOwn(COLUMNS, name))
      return [{ name, heading: labelOf(name), show: shownText, ...COLUMNS[name] }];
    return /^cf_\w+$/.test(name) ? [{ name, heading: labelOf(name), read: name, show: shownText }] : [];
  });
}

const shownText = (bug, { read }) => [bug[read] ?? ''].flat().join(', ');

/** The fields that are read for columns, each once. */
export const readBy = (columns) => [...new Set(columns.flatMap(({ read }) => read.split(',')))].join();

/** What a cell shows, which leads to the bugs of the list that have the same there: `address` gives that of the list with conditions. */
function cellOf(bug, column, address) {
  const shown = column.show(bug, column);
  const condition = address === undefined ? undefined : column.condition?.(bug);
  if (condition === undefined || Object.values(condition).includes('')) return shown;
  const label = Object.values(condition).join(' ');
  return html`<a class="who" href=${address(condition)} title=${`Only ${label}`}>${column.face?.(bug)}<span dir="auto">${column.text?.(bug) ?? shown}</span></a>`;
}

/** The class of a column, by which the design knows its width. */
const CLASSES = tableOf(
  'bug_id id, short_desc summary, bug_status status, bug_severity severity, assigned_to assignee, changeddate changed, opendate changed',
);
const classOf = ({ name, isNarrow }) => `${CLASSES[name] ?? name} ${isNarrow ? '' : 'wide'}`;

/**
 * A table of bugs. Sortable when `address` gives the address of the list with other parameters; `same` gives that of the list with a
 * condition of a cell. `changed`: ids of bugs that changed since the reader looked at them, `selected`, `onSelect`: ids that are chosen,
 * `here`: the id of the row that the keyboard is at, `failed`: why a bug was not changed, by id, `isSame`: columns as in other tables
 * of the page, `note`: what stands below a summary
 */
export const BugTable = (properties) => {
  const { caption, bugs, columns, order, address, same, isSame, note } = properties;
  const { changed, selected, onSelect, here, failed } = properties;
  const box = (label, isChecked, onChange) =>
    html`<label><span class="sr">${label}</span><input type="checkbox" checked=${isChecked} onClick=${(event) => onChange(event.target.checked, event.shiftKey)} /></label>`;
  const all = bugs.map(({ id }) => id);
  const selectAll =
    onSelect &&
    html`<th class="pick">${box('Select all', selected.length > 0 && selected.length === all.length, (is) => onSelect(is ? all : []))}</th>`;
  const toggled = (id) => (isOn) =>
    onSelect(isOn ? [...selected, id] : selected.filter((one) => one !== id), id);
  const selectOne = ({ id }) =>
    onSelect && html`<td class="pick">${box(`Select bug ${id}`, selected.includes(id), toggled(id))}</td>`;
  const heading = (column) => {
    const { name, heading: text } = column;
    const [first] = (order ?? '').split(',');
    const direction = first === name ? 'ascending' : first === `${name} DESC` ? 'descending' : undefined;
    const next = direction === 'ascending' ? `${name} DESC` : name;
    const icon = direction && html`<${Icon} name=${direction === 'ascending' ? 'up' : 'downwards'} />`;
    const content = address ? html`<a href=${address({ order: next })}>${text}${icon}</a>` : text;
    return html`<th scope="col" class=${classOf(column)} aria-sort=${direction}>${content}</th>`;
  };
  const isUnseen = ({ id }) => changed?.has(id) === true;
  const cell = (bug, column) => {
    const isUnseenHere = column.name === 'short_desc' && isUnseen(bug);
    return html`<td class=${`${classOf(column)} ${isUnseenHere ? 'unseen' : ''}`}>${cellOf(bug, column, same)}${isUnseenHere && html`<span class="sr">Changed since you looked at it</span>`}
      ${column.name === 'short_desc' && note?.(bug)}${column.name === 'short_desc' && failed?.has(bug.id) && html`<span class="problem" id=${`failed-${bug.id}`}><${Icon} name="warning" />${failed.get(bug.id)}</span>`}</td>`;
  };
  return html`<table class=${isSame ? 'bugs same' : 'bugs'}><caption class="sr">${caption}</caption>
    <thead><tr>${selectAll}${columns.map(heading)}</tr></thead>
    <tbody>${bugs.map(
      (bug) =>
        html`<tr key=${bug.id} id=${`row-${bug.id}`} tabindex="-1" class=${here === bug.id ? 'here' : ''} aria-selected=${selected?.includes(bug.id) ? 'true' : undefined}>${selectOne(bug)}${columns.map((column) => cell(bug, column))}</tr>`,
    )}</tbody>
  </table>`;
};
