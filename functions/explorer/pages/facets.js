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

/** A menu with the values of a field; when it closes, the list is that with the values that are chosen. */
class Facet extends Component {
  state = { chosen: this.props.query.getAll(this.props.name), wanted: '' };

  open = async () => {
    const { name, query } = this.props;
    this.setState({ values: await readValues(name, query).catch(() => []) });
  };

  close = () => {
    const { name, query, addressOf } = this.props;
    const { chosen, wanted } = this.state;
    // A login that was typed is one, also where it is not offered.
    const all = name === 'assigned_to' && wanted.trim() !== '' ? [...chosen, wanted.trim()] : chosen;
    if (String(all) === String(query.getAll(name))) return;
    const others = [...query].filter(([one]) => one !== name);
    location.assign(addressOf([...others, ...all.map((value) => [name, value])]));
  };

  render({ name, children, kind = 'chip add' }, { values, chosen, wanted }) {
    const label = labelOf(name);
    const offered = values ?? [];
    const others = chosen.filter((one) => !offered.some(([value]) => value === one)).map((one) => [one]);
    const leave = (event) => {
      if (event.key && event.key !== 'Enter') return;
      event.preventDefault();
      event.target.closest('details').open = false;
    };
    return html`<${Menu} name=${children ?? label} kind=${kind} onOpen=${this.open} onClose=${this.close}>
      ${name === 'assigned_to' && html`<input aria-label="Assignee: login" placeholder="Login" value=${wanted} onKeyDown=${leave} onInput=${({ target }) => this.setState({ wanted: target.value })} />`}
      ${values === undefined ? '…' : html`<${Options} ...${{ name: `facet-${name}`, label, chosen, options: [...others, ...offered] }} onChange=${(next) => this.setState({ chosen: next })} />`}
      <button type="button" class="tiny accent" onClick=${leave}>Show them</button>
    <//>`;
  }
}

/**
 * The conditions of a list, each of which can be taken away, or changed by its menu; and menus that add others. `conditions` of
 * conditions.js, `without`: the address without some parameters
 */
export const Conditions = ({ conditions, query, addressOf, without, formAddress }) => {
  const isFacet = (name) => FACETS.includes(name) && !query.has(`${name}_type`);
  const facet = (name, more) => html`<${Facet} ...${{ name, query, addressOf, ...more }} />`;
  return html`<ul class="chips filters tools" aria-label="Conditions">
  ${conditions.map(({ words, names: [name, ...others] }) => html`<li class="condition"><${Chip} label=${words} onRemove=${name && (() => location.assign(without([name, ...others])))}>${isFacet(name) ? facet(name, { kind: '', children: words }) : words}<//></li>`)}
  ${FACETS.filter((name) => !query.has(name)).map((name) => html`<li key=${name}>${facet(name)}</li>`)}
  <li><a class="chip add" href=${formAddress}><${Icon} name="plus" />More</a></li></ul>`;
};
