import { Component } from 'preact';
import { Chip, html, Icon, Menu } from './elements.js';
import { Options } from './inputs.js';
import { labelOf } from './labels.js';
import { rest, restOnce } from './rest.js';

/** The fields by whose values a list is narrowed; the values are read when a menu is opened. */
const FACETS = ['product', 'component', 'bug_status', 'priority', 'bug_severity', 'assigned_to', 'keywords'];
const STATES = [
  ['__open__', undefined, 'Open'],
  ['__closed__', undefined, 'Closed'],
  ['__all__', undefined, 'Any'],
];
const ME = [['%user%', undefined, 'Me']];

async function readValues(name, query) {
  if (name === 'assigned_to') return ME;
  if (name !== 'product' && name !== 'component') {
    const { fields } = await restOnce('field/bug');
    const values = fields.find((one) => one.name === name)?.values ?? [];
    const legal = values.flatMap((one) => (one.name ? [[one.name]] : []));
    return name === 'bug_status' ? [...STATES, ...legal] : legal;
  }
  const products = query.getAll('product');
  const names = new URLSearchParams(products.map((one) => ['names', one]));
  const field = name === 'product' ? 'name' : 'components.name';
  const found = await rest(
    `product?${products.length > 0 && name === 'component' ? names : 'type=accessible'}&include_fields=${field}`,
  );
  const all = found.products.flatMap((one) =>
    name === 'product' ? [one.name] : one.components.map((part) => part.name),
  );
  return [...new Set(all)].sort().map((one) => [one]);
}

/**
 * A menu of choices; when it closes, the list is shown that has those which are chosen now. `read`: reads the choices, `addressOf`: gives
 * the address of the list, `menu`: more properties of the Menu, others of Options
 */
export class Choices extends Component {
  state = { chosen: this.props.chosen };

  open = async () => this.setState({ options: await this.props.read().catch(() => []) });

  close = () => {
    const { chosen } = this.state;
    if (String(chosen) !== String(this.props.chosen)) location.assign(this.props.addressOf(chosen));
  };

  render({ menu, ...properties }, { options, chosen }) {
    const leave = ({ target }) => {
      target.closest('details').open = false;
    };
    return html`<${Menu} name=${properties.label} ...${menu} onOpen=${this.open} onClose=${this.close}>
      ${options && html`<${Options} ...${{ ...properties, options, chosen }} onChange=${(next) => this.setState({ chosen: next })} />`}
      <button type="button" class="tiny accent" onClick=${leave}>Show them</button>
    <//>`;
  }
}

/** A menu with the values of a field. A login is one, also where it is not offered. */
const Facet = ({ name, query, addressOf, menu }) => {
  const others = [...query].filter(([one]) => one !== name);
  const address = (chosen) => addressOf([...others, ...chosen.map((value) => [name, value])]);
  const field = { name: `facet-${name}`, label: labelOf(name), isFree: name === 'assigned_to' };
  return html`<${Choices} ...${{ ...field, menu, addressOf: address, chosen: query.getAll(name) }} read=${() => readValues(name, query)} />`;
};

/**
 * The conditions of a list, each of which can be taken away, or changed by its menu; and menus that add others. `conditions` of
 * conditions.js, `without`: the address without some parameters
 */
export const Conditions = ({ conditions, query, addressOf, without, formAddress }) => {
  const isFacet = (name) => FACETS.includes(name) && !query.has(`${name}_type`);
  const facet = (name, menu) => html`<${Facet} ...${{ name, query, addressOf, menu }} />`;
  const isAny = (name) => String(query.getAll(name)) === '__all__';
  return html`<ul class="chips filters tools" aria-label="Conditions">
  ${conditions.map(({ words, names: [name, ...others] }) => html`<li class="condition">${isAny(name) ? facet(name, { kind: 'chip add', name: words }) : html`<${Chip} label=${words} onRemove=${name && (() => location.assign(without([name, ...others])))}>${isFacet(name) ? facet(name, { kind: '', name: words }) : words}<//>`}</li>`)}
  ${FACETS.filter((name) => !query.has(name)).map((name) => html`<li key=${name}>${facet(name, { kind: 'chip add' })}</li>`)}
  <li><a class="chip add" href=${formAddress}><${Icon} name="plus" />More</a></li></ul>`;
};
