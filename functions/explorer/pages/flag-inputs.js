import { html } from './elements.js';
import { Field, inputId } from './inputs.js';

/** The statuses that a flag of a type can have; '': none. */
const statusesOf = ({ is_requestable }) => ['', ...(is_requestable ? ['?'] : []), '+', '-'];

/** A row for each flag that is set, and one for each type of which there may be a new one. */
function rowsOf(flags, types) {
  const present = flags.flatMap((flag) => {
    const type = types.find(({ id }) => id === flag.type_id);
    return type === undefined ? [] : [{ key: `flag-${flag.id}`, flag, type }];
  });
  const possible = types.filter(
    ({ id, is_active, is_multiplicable }) =>
      is_active && (is_multiplicable || !flags.some(({ type_id }) => type_id === id)),
  );
  return [...present, ...possible.map((type) => ({ key: `type-${type.id}`, type }))];
}

/** What a row shows: what was given, or else the flag as it is. */
const rowValue = ({ key, flag }, given) =>
  given[key] ?? { status: flag?.status ?? '', requestee: flag?.requestee ?? '' };

/**
 * The inputs of the flags of a bug.
 *
 * `given`: what was entered, `{status, requestee}` by key of the row
 */
export const FlagInputs = ({ flags, types, given, problem, onChange, prefix = '' }) =>
  (rowsOf(flags, types).length > 0 || problem) &&
  html`<fieldset id=${inputId(`${prefix}flags`)} tabindex="-1" class="stack" aria-describedby=${problem && `${prefix}flags-problem`}>
    <legend>Flags</legend>
    ${problem && html`<p class="problem" id=${`${prefix}flags-problem`}>${problem}</p>`}
    ${rowsOf(flags, types).map((row) => {
      const value = rowValue(row, given);
      const set = (some) => onChange({ ...given, [row.key]: { ...value, ...some } });
      const field = (part, kind, label) => ({ name: `${prefix}${row.key}-${part}`, label, kind });
      const status = field('status', 'select', `${row.flag ? '' : 'New '}${row.type.name}`);
      const requestee = field('requestee', 'person', `Ask for ${row.type.name}`);
      return html`<div key=${row.key} class="two" title=${row.type.description}>
        <${Field} field=${{ ...status, options: statusesOf(row.type) }} value=${value.status} onChange=${(next) => set({ status: next })} />
        ${row.type.is_requesteeble && value.status === '?' && html`<${Field} field=${requestee} value=${value.requestee} onChange=${(next) => set({ requestee: next })} />`}
      </div>`;
    })}
  </fieldset>`;

/** The parameter `flags` of a request: what differs from the flags as they are. */
export const sentFlags = (flags, types, given) =>
  rowsOf(flags, types).flatMap((row) => {
    const { status, requestee } = rowValue(row, given);
    const before = rowValue(row, {});
    if (status === before.status && (status !== '?' || requestee === before.requestee)) return [];
    const asked = status === '?' && requestee !== '' ? { requestee } : {};
    const named = row.flag ? { id: row.flag.id } : { type_id: row.type.id, new: true };
    return [{ ...named, status: status === '' ? 'X' : status, ...asked }];
  });
