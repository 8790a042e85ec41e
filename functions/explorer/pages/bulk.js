import { readChoices, readValues } from './bug-fields.js';
import { Chip, counted, html, Menu, names, tellSaved } from './elements.js';
import { Form } from './form.js';
import { Check, Field } from './inputs.js';
import { labelOf } from './labels.js';
import { rest, send } from './rest.js';

/** Bugs that one request changes at most. */
const MAX_IDS = 50;
const field = (name, kind, more) => ({ name, label: labelOf(name), kind, ...more });

/** What can be changed of many bugs; `list` fields are added to, or taken away from. `ofProduct`: the list of a product that has the values */
const FIELDS = [
  field('status', 'select'),
  field('assigned_to', 'person'),
  field('priority', 'select', { legal: 'priority' }),
  field('severity', 'select', { legal: 'bug_severity' }),
  field('component', 'select', { ofProduct: 'components' }),
  { ...field('target_milestone', 'select', { ofProduct: 'milestones' }), label: 'Milestone' },
  field('keywords', 'text', { isList: true }),
  field('cc', 'people', { isList: true }),
  { name: 'comment', label: 'Comment', kind: 'long', rows: 3 },
  field('product', 'select', { hasParts: true }),
  field('version', 'select', { ofProduct: 'versions' }),
  field('groups', 'text', { isList: true }),
  field('whiteboard', 'text'),
  field('flags', 'text', { hint: 'As needinfo?, review+, or needinfo?(login)' }),
];
const fieldOf = (name) => FIELDS.find((one) => one.name === name);
/** Fields that have a button; the others are in a menu. */
const SHOWN = 9;
const PARTS = ['component', 'version', 'target_milestone'];
const OPERATIONS = { add: '+', remove: '−' };

/** `needinfo?(ada@example.org)` as a request has it. */
function flagOf(text) {
  const [, name, status, requestee] = /^([^?+\-\s]+)([?+-])(?:\((.+)\))?$/.exec(text.trim()) ?? [];
  return name === undefined
    ? { name: text.trim(), status: '?' }
    : { name, status, new: true, ...(requestee && { requestee }) };
}

/**
 * A bar that changes the `bugs` that are selected. What the interface refuses of a bug is said of that bug, and the others are changed.
 *
 * `user` as whoami tells, `onFailed`: is called with the reasons by the ids of bugs that are left, `onClose`
 */
export class BulkBar extends Form {
  state = { ...this.state, given: {} };

  /** The legal values of a field that can be chosen. */
  legal = (name) => (this.state.values?.get(name) ?? []).filter((one) => one.name && one.is_active !== false);

  /** The values that a field can get. */
  optionsOf({ name, legal, ofProduct }) {
    const { choices } = this.state;
    if (legal) return this.legal(legal).map((one) => one.name);
    if (name === 'product') return choices?.products ?? [];
    if (ofProduct)
      return (choices?.product[ofProduct] ?? []).filter(({ is_active }) => is_active).map((one) => one.name);
    return [...this.states().keys()];
  }

  /** The states as one choice: closed ones with each resolution. */
  states() {
    const resolutions = this.legal('resolution').filter(({ name }) => name !== 'DUPLICATE');
    return new Map(
      this.legal('bug_status').flatMap(({ name: status, is_open }) =>
        is_open
          ? [[status, { status }]]
          : resolutions.map(({ name }) => [`${status} ${name}`, { status, resolution: name }]),
      ),
    );
  }

  /** Reads what a menu offers: parts of a product are those of the chosen one, else of the one that all bugs have. */
  open = async ({ hasParts, ofProduct }) => {
    const { bugs } = this.props;
    const products = [...new Set(bugs.map(({ product }) => product))];
    const product = this.state.given.product ?? (products.length === 1 ? products[0] : undefined);
    try {
      this.setState({ values: await readValues() });
      const isOpen = ofProduct && product === undefined;
      if (hasParts || ofProduct)
        this.setState({ choices: isOpen ? undefined : await readChoices(product ?? products[0]) });
    } catch ({ message }) {
      this.setState({ problem: message });
    }
  };

  /** Shows the control of a field that has no button of its own. */
  pick = async (rare) => {
    await this.open(rare);
    this.setState({ rare }, () => document.querySelector('.bulk [open] .panel :is(input, button)')?.focus());
  };

  set = async (name, value, operation = this.state.operation ?? 'add') => {
    const given = { ...this.state.given, [name]: value };
    if (value === '') delete given[name];
    if (name === 'product') for (const part of PARTS) delete given[part];
    this.setState({ given, operations: { ...this.state.operations, [name]: operation }, problem: '' });
    if (name === 'product' && value !== '') this.setState({ choices: await readChoices(value) });
  };

  body() {
    const { given, operations = {}, isPrivate } = this.state;
    const { status, comment, flags, ...others } = given;
    const sent = Object.entries(others).map(([name, value]) => {
      return [name, fieldOf(name).isList ? { [operations[name]]: names(value) } : value];
    });
    return {
      ...Object.fromEntries(sent),
      ...(status && this.states().get(status)),
      ...(flags && { flags: names(flags).map(flagOf) }),
      ...(comment?.trim() && { comment: { body: comment, is_private: isPrivate === true } }),
    };
  }

  /** What will be, as it is said before it is sent. */
  words([name, value]) {
    if (name === 'comment') return 'with a comment';
    const { isList, label } = fieldOf(name);
    return isList
      ? `${label} ${OPERATIONS[this.state.operations?.[name] ?? 'add']} ${value}`
      : `${label} → ${value}`;
  }

  /** How many of the bugs have the values already. */
  already() {
    const { given, operations = {} } = this.state;
    const has = (bug, [name, value]) => {
      if (!fieldOf(name).isList) return bug[name] === value;
      return operations[name] !== 'remove' && names(value).every((one) => bug[name]?.includes(one));
    };
    const entries = Object.entries(given).filter(([name]) => name !== 'comment' && name !== 'flags');
    const count = this.props.bugs.filter((bug) => entries.some((entry) => has(bug, entry))).length;
    return count === 0 ? undefined : `${count} of them ${count === 1 ? 'has' : 'have'} that already.`;
  }

  async send() {
    const body = this.body();
    if (Object.keys(body).length === 0) return;
    const ids = this.props.bugs.map(({ id }) => id);
    const before = await this.readBefore(ids).catch(() => []);
    const failed = [];
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      failed.push(...(await change(ids.slice(start, start + MAX_IDS), body)));
    }
    const done = `${ids.length - failed.length} of ${counted(ids.length, 'bug')} changed.`;
    const isLost = failed.some(({ isUnknown }) => isUnknown);
    if (failed.length === 0) {
      history.replaceState({ ...history.state, selected: [] }, '');
      tellSaved(done, `row-${ids[0]}`, before.length > 0 ? () => takeBack(before, ids[0]) : undefined);
      return;
    }
    const lost = isLost
      ? ' Look at these before you try again: the response was lost, and they may have been changed.'
      : '';
    this.props.onFailed(new Map(failed.map(({ id, message }) => [id, message])));
    throw new Error(`${done} The others say why in their rows, and stay selected.${lost}`);
  }

  /** What makes each bug as it was before: `[id, change]`. Comments and flags stay. */
  async readBefore(ids) {
    const { given, operations } = this.state;
    const names_ = Object.keys(given).filter((name) => name !== 'comment' && name !== 'flags');
    if (names_.length === 0) return [];
    const fields = [...names_, ...(given.status ? ['resolution'] : []), ...(given.product ? PARTS : [])];
    const query = new URLSearchParams({ id: ids, include_fields: ['id', ...fields] });
    const { bugs } = await rest(`bug?${query}`);
    const former = (bug, name) => {
      if (!fieldOf(name)?.isList) return bug[name];
      const isAdded = operations[name] !== 'remove';
      const changed = names(given[name]).filter((one) => bug[name].includes(one) !== isAdded);
      return { [isAdded ? 'remove' : 'add']: changed };
    };
    const isSet = (bug, name) => name !== 'resolution' || bug.resolution !== '';
    return bugs.map((bug) => [
      bug.id,
      Object.fromEntries(fields.filter((name) => isSet(bug, name)).map((name) => [name, former(bug, name)])),
    ]);
  }

  /** The control of a field. */
  control(one) {
    const { given, choices, operation = 'add' } = this.state;
    const { name, label, ofProduct, isList, ...rest } = one;
    const value = given[name] ?? '';
    if (ofProduct && choices === undefined)
      return html`<p>The bugs are of several products: choose one first.</p>`;
    const operate = (key) => () => {
      this.setState({ operation: key });
      if (value) this.set(name, value, key);
    };
    if (one.kind !== 'select') {
      return html`${
        isList &&
        html`<fieldset class="line"><legend class="sr">What to do</legend>${Object.keys(OPERATIONS).map((key) => html`<label class="check"><input type="radio" name=${`${name}-operation`} checked=${key === operation} onChange=${operate(key)} /> ${key === 'add' ? 'Add' : 'Remove'}</label>`)}</fieldset>`
      }
        <${Field} field=${{ ...rest, name: `bulk-${name}`, label: isList ? `${label} to ${operation}` : label }} value=${value} onChange=${(next) => this.set(name, next)} />
        ${name === 'comment' && this.props.user.rights.insider && html`<${Check} name="bulk-private" label="The comment is private" value=${this.state.isPrivate === true} onChange=${(isPrivate) => this.setState({ isPrivate })} />`}`;
    }
    const choose = (option) => (event) => {
      this.set(name, option);
      const menu = event.target.closest('details');
      menu.open = false;
      menu.querySelector('summary').focus();
    };
    return html`<ul class="tall">${this.optionsOf(one).map((option) => html`<li><button type="button" aria-pressed=${option === value} onClick=${choose(option)} dir="auto">${option}</button></li>`)}</ul>`;
  }

  render({ bugs, onClose }, { given, problem, isSending, rare }) {
    const entries = Object.entries(given);
    const already = this.already();
    return html`<section class="bulk" aria-label="Change the selected bugs"><strong class="num">${bugs.length} selected</strong>
      ${FIELDS.slice(0, SHOWN).map((one) => html`<${Menu} key=${one.name} name=${one.label} kind="button tiny" onOpen=${() => this.open(one)}>${this.control(one)}<//>`)}
      <${Menu} name="More" kind="button tiny" onClose=${() => this.setState({ rare: undefined })}>${rare ? this.control(rare) : html`<ul>${FIELDS.slice(SHOWN).map((one) => html`<li><button type="button" onClick=${() => this.pick(one)}>${one.label}</button></li>`)}</ul>`}<//>
      <button type="button" class="tiny quiet push" onClick=${onClose}>Clear <kbd aria-hidden="true">Esc</kbd></button>
      ${
        (entries.length > 0 || problem) &&
        html`<div class="will">
        ${problem && html`<p id="problem" class="problem" role="alert" tabindex="-1">${problem}</p>`}
        <span>In ${counted(bugs.length, 'bug')}:</span>${entries.map((entry) => html`<${Chip} label=${this.words(entry)} onRemove=${() => this.set(entry[0], '')} />`)}
        ${already && html`<span class="soft small">${already}</span>`}
        <button type="button" class="primary push" aria-disabled=${isSending} onClick=${(event) => this.submit(event)}>Change ${counted(bugs.length, 'bug')}</button></div>`
      }
    </section>`;
  }
}
/** Makes bugs as they were before. */
async function takeBack(before, first) {
  const left = [];
  for (const [id, change_] of before)
    await send('PUT', `bug/${id}`, change_).catch(({ message }) => left.push(`${id}: ${message}`));
  tellSaved(left.length === 0 ? 'It is taken back.' : `Not taken back: ${left.join('; ')}`, `row-${first}`);
}

/** Codes that refuse a request whatever its bugs: the key is none, or of a user who is disabled. */
const NOT_OF_A_BUG = [300, 301, 306, 410];

/**
 * Changes bugs together, or, where one of them is refused, each alone. Returns those that are not changed, with the reason;
 * `isUnknown`: or that may be. What was not refused is not sent again: a comment would be written twice.
 */
async function change(ids, body) {
  const [first, ...others] = ids;
  try {
    await send('PUT', `bug/${first}`, others.length === 0 ? body : { ...body, ids: others });
    return [];
  } catch (problem) {
    const { message, status, code } = problem;
    const isRefused = status >= 400 && status < 500;
    if (others.length === 0 || !isRefused || status === 429 || NOT_OF_A_BUG.includes(code))
      return ids.map((id) => ({ id, message, isUnknown: !isRefused }));
  }
  const failed = [];
  for (const id of ids) failed.push(...(await change([id], body)));
  return failed;
}
