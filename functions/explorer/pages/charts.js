import { h } from 'preact';
import { nameOf, OPERATORS } from './conditions.js';
import { html, Icon } from './elements.js';

/** Operators that compare with no value. */
const VALUELESS = ['isempty', 'isnotempty', 'everchanged'];
const JOINS = { '': 'all of these', OR: 'any of these', AND_G: 'all of these at once' };
const NEW_CHART = { field: 'short_desc', operator: 'substring', values: [''], isNot: false };

/** Whether a parameter is a part of a chart. */
export const isChart = (name) => /^([fovnj]\d+|j_top)$/.test(name);

/**
 * The charts of an address, `f1`, `o1`, `v1`, `n1` and so on, as a group: `{join, isNot, parts}`, of which a part is a group or
 * `{field, operator, values, isNot}`.
 */
export function readCharts(parameters) {
  const numbers = [...new Set(parameters.keys())].flatMap((name) => /^f(\d+)$/.exec(name)?.[1] ?? []);
  const of = (kind, number) => parameters.get(kind + number) ?? '';
  const joinOf = (name) => (of(name, '') === 'AND' ? '' : of(name, ''));
  const groups = [{ join: joinOf('j_top'), isNot: false, parts: [] }];
  const close = () => {
    const group = groups.pop();
    groups.at(-1).parts.push(group);
  };
  for (const number of numbers.sort((a, b) => a - b)) {
    const [field, isNot] = [of('f', number), of('n', number) === '1'];
    if (field === 'OP') groups.push({ join: joinOf(`j${number}`), isNot, parts: [] });
    else if (field === 'CP') groups.length > 1 && close();
    else
      groups.at(-1).parts.push({
        ...{ field, operator: of('o', number), isNot },
        values: parameters.getAll(`v${number}`),
      });
  }
  while (groups.length > 1) close();
  return groups[0];
}

/** The parameters of a group of charts, numbered anew; those without a value say nothing, and are left out. */
export function chartParameters(whole) {
  const pairs = [];
  let number = 0;
  const add = (isNot, ...some) => {
    number += 1;
    const given = [...some, ...(isNot ? [['n', '1']] : [])];
    pairs.push(...given.map(([kind, value]) => [`${kind}${number}`, value]));
  };
  const isSaid = ({ operator, values }) =>
    VALUELESS.includes(operator) || values.some((value) => value.trim() !== '');
  const write = (part) => {
    if (part.parts === undefined) {
      const { field, operator, values, isNot } = part;
      if (isSaid(part)) add(isNot, ['f', field], ['o', operator], ...values.map((value) => ['v', value]));
    } else if (part.parts.length > 0) {
      add(part.isNot, ['f', 'OP'], ...(part.join ? [['j', part.join]] : []));
      part.parts.forEach(write);
      add(false, ['f', 'CP']);
    }
  };
  whole.parts.forEach(write);
  return [...(whole.join && number > 0 ? [['j_top', whole.join]] : []), ...pairs];
}

const optionsOf = (all, chosen) =>
  (all.some(([value]) => value === chosen) ? all : [[chosen, chosen], ...all]).map(
    ([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`,
  );

/** A condition: field, comparison, value. `id`: of its first control */
const Chart = ({ id, part, fields, onChange, onRemove }) => {
  const { field, operator, values, isNot } = part;
  const change = (name) => (event) => onChange({ ...part, [name]: event.target.value });
  const name = nameOf(field);
  return html`<div class="line chart" role="group" aria-label=${`Condition: ${name}`}>
    <select id=${id} aria-label="Field" onChange=${change('field')}>${optionsOf(fields, field)}</select>
    <button type="button" class="tiny" aria-pressed=${isNot} onClick=${() => onChange({ ...part, isNot: !isNot })}>not</button>
    <select aria-label="Comparison" onChange=${change('operator')}>${optionsOf(Object.entries(OPERATORS), operator)}</select>
    ${!VALUELESS.includes(operator) && html`<input aria-label="Value" dir="auto" value=${values.join(', ')} onInput=${({ target }) => onChange({ ...part, values: [target.value] })} />`}
    <button type="button" class="quiet only" aria-label=${`Without this condition: ${name}`} onClick=${onRemove}><${Icon} name="cross" /></button></div>`;
};

/**
 * Conditions that are put together of rows, and of groups of them. `group`: as `readCharts` gives it, `fields`: `[name, what it is
 * called]`; `onChange`: gets the group as it is then, and the id of what gets the focus; `id`: what its ids begin with
 */
export const Charts = ({ id, group, fields, onChange, onRemove }) => {
  const { join, isNot, parts } = group;
  const set = (index, ...next) => ({ ...group, parts: parts.toSpliced(index, 1, ...next) });
  const add = (part, focus = `${id}-${parts.length}`) =>
    onChange({ ...group, parts: [...parts, part] }, focus);
  const isInner = onRemove !== undefined;
  return html`<div class=${`stack ${isInner ? 'charts' : ''}`} role="group" aria-label=${isInner ? 'Group of conditions' : 'Conditions'}>
    ${
      (isInner || parts.length > 1) &&
      html`<div class="line joined">${isInner && html`<button type="button" class="tiny" aria-pressed=${isNot} onClick=${() => onChange({ ...group, isNot: !isNot })}>not</button>`}
      <select aria-label="How they are joined" onChange=${({ target }) => onChange({ ...group, join: target.value })}>${optionsOf(Object.entries(JOINS), join)}</select>
      ${isInner && html`<button type="button" class="quiet only" aria-label="Without this group" onClick=${onRemove}><${Icon} name="cross" /></button>`}</div>`
    }
    ${parts.map((part, index) => {
      const own = {
        ...{ key: index, id: `${id}-${index}`, fields },
        onChange: (next, focus) => onChange(set(index, next), focus),
        onRemove: () => onChange(set(index), `${id}-add`),
      };
      return h(part.parts ? Charts : Chart, { ...own, group: part, part });
    })}
    <span class="line"><button type="button" id=${`${id}-add`} class="tiny" onClick=${() => add(NEW_CHART)}><${Icon} name="plus" />Condition</button>
      ${join !== 'AND_G' && html`<button type="button" class="tiny quiet" onClick=${() => add({ join: 'OR', isNot: false, parts: [NEW_CHART] }, `${id}-${parts.length}-0`)}><${Icon} name="plus" />Group: any of these</button>`}</span></div>`;
};
