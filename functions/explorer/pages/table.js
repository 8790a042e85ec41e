import { cellOf } from './columns.js';
import { html, Icon } from './elements.js';
import { tableOf } from './labels.js';

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
