import { Component } from 'preact';
import { bugUrl, html, Person, State, shownName, When } from './elements.js';
import { labelOf } from './labels.js';

const person = (field, parameter = field) => ({
  condition: (bug) => ({ [parameter]: bug[field] }),
  text: (bug) => shownName(bug[field], { [bug[field]]: bug[`${field}_detail`]?.real_name }),
  read: `${field},${field}_detail.real_name`,
  show: (bug) => {
    const login = bug[field];
    return (
      login && html`<${Person} login=${login} names=${{ [login]: bug[`${field}_detail`]?.real_name }} />`
    );
  },
});
const value = (field, parameter = field) => ({
  read: field,
  condition: (bug) => ({ [parameter]: bug[field] }),
});
const time = (field) => ({ read: field, show: (bug) => html`<${When} at=${bug[field]} isAge />` });

/**
 * The columns of a list by Bugzilla's names: the fields of the interface that are read, what a cell shows, and the parameters by which a
 * search finds the bugs that have the same there.
 */
const COLUMNS = {
  bug_id: {
    read: 'id',
    show: ({ id }) => html`<a href=${bugUrl(id)}>${id}</a>`,
    isNarrow: true,
  },
  short_desc: {
    read: 'id,summary',
    isNarrow: true,
    show: ({ id, summary }) => html`<a href=${bugUrl(id)}>${summary}</a>`,
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
  priority: { ...value('priority'), isNarrow: true },
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
  changeddate: { ...time('last_change_time') },
};
const DEFAULT_COLUMNS =
  'short_desc bug_status product component bug_severity priority assigned_to changeddate'.split(' ');

/** The columns that a list can have besides the number, by Bugzilla's names. */
const CHOICES = Object.keys(COLUMNS).slice(1);

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

export const readBy = (columns) => columns.map(({ read }) => read).join();

/** What a cell shows, which leads to the bugs of the list that have the same there: `address` gives that of the list with conditions. */
export function cellOf(bug, column, address) {
  const shown = column.show(bug, column);
  const condition = address === undefined ? undefined : column.condition?.(bug);
  if (condition === undefined || Object.values(condition).includes('')) return shown;
  const label = Object.values(condition).join(' ');
  return html`<a class="same" href=${address(condition)} title=${`Only ${label}`}>${column.text?.(bug) ?? shown}</a>`;
}

/** A choice of the columns of a list. `columns` that it has, `addressOf` gives the address of the list with a `columnlist`. */
export class ColumnChoice extends Component {
  render({ columns, addressOf }, { isOpen }) {
    const chosen = columns.map(({ name }) => name).slice(1);
    const custom = chosen.filter((name) => !CHOICES.includes(name));
    const show = (event) => {
      event.preventDefault();
      const checked = new FormData(event.target).getAll('column');
      // Those that were there keep their order.
      const ordered = [...chosen.filter((one) => checked.includes(one)), ...checked];
      location.assign(addressOf([...new Set(ordered)].join()));
    };
    const choice = (name) =>
      html`<label class="check"><input type="checkbox" name="column" value=${name} defaultChecked=${chosen.includes(name)} /> ${labelOf(name)}</label>`;
    return html`<details class="column-choice" onToggle=${({ target }) => this.setState({ isOpen: target.open })}>
      <summary>Columns</summary>
      ${
        isOpen &&
        html`<form aria-label="Columns of the list" onSubmit=${show}>
          ${[...CHOICES, ...custom].map(choice)}
          <div class="buttons"><button type="submit">Show them</button></div>
        </form>`
      }
    </details>`;
  }
}
