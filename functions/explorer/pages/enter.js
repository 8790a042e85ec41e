import { Component } from 'preact';
import { fieldsOf, flagTypesOf, inputValue, isShown, readChoices } from './bug-fields.js';
import { Discard, DraftForm, Writer } from './draft-form.js';
import { focusOn, html, Icon, names, shownName, withoutTags } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { FormProblem } from './form.js';
import { Checks, inputId, Options } from './inputs.js';
import { restName } from './labels.js';
import { reader, readerOf, readNames, requireKey, rest, send } from './rest.js';
import { Similar } from './similar.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true, className: 'big' };
const DESCRIPTION = {
  name: 'description',
  label: 'Description',
  rows: 10,
  placeholder:
    'What happens, what should happen instead, and the steps that lead there. Paste or drop files.',
};
const CC = { name: 'cc', label: 'CC', kind: 'people' };

/** What is asked after the component, in a line; the others are folded, unless they are needed. */
const SHOWN = ['version', 'severity', 'priority'];
const isFirst = ({ name, isRequired }) => SHOWN.includes(name) || isRequired;
/** What the interface ignores of those who may not change every bug. */
const OF_EDITORS = ['assigned_to', 'qa_contact', 'blocks', 'depends_on', 'status'];

/** Fields that a clone takes over, as in Bugzilla. Its groups and the privacy of its description only the reader takes away. */
const CLONED =
  'component version severity priority platform op_sys assigned_to qa_contact cc keywords whiteboard url depends_on blocks summary target_milestone deadline'.split(
    ' ',
  );

/** The page on which a bug is filed. Parameters, those of Bugzilla's page, fill in the form; they never send it. */
export async function page(parameters) {
  requireKey('file a bug');
  const cloned = readClone(parameters.get('cloned_bug_id'));
  const product = parameters.get('product') || (await cloned)?.product || '';
  if (product === '') return chooseProduct(parameters);
  const [user, clone, choices] = await Promise.all([reader(), cloned, readChoices(product, false)]);
  const editor = parameters.has('product') ? user : await readerOf(user, product);
  const given = givenContent(parameters, clone, choices);
  return {
    title: `New bug in ${choices.product.name}`,
    content: html`<div class="head"><h1 dir="auto">New bug in ${choices.product.name}</h1><a class="small" href=${`enter_bug.cgi?${withoutProduct(parameters)}`}>Another product</a><span class="soft small">* required</span></div>
      <${EnterForm} ...${{ user: editor, choices, given, clone }} />`,
  };
}

/** Whether nobody sees bugs of a product without signing in: all of them are restricted. */
const hidesBugs = (product) =>
  fetch(`rest/product?${new URLSearchParams({ type: 'selectable', names: product, include_fields: 'id' })}`)
    .then((response) => response.json())
    .then(({ products }) => products?.length !== 1)
    .catch(() => true);

const withoutProduct = (parameters) =>
  new URLSearchParams([...parameters].filter(([name]) => name !== 'product' && name !== 'component'));

async function chooseProduct(parameters) {
  const { products } = await rest('product?type=enterable&include_fields=name,description');
  return {
    title: 'New bug',
    content: html`<div class="head"><h1>New bug: which product?</h1></div><${ChooseProduct} ...${{ products, parameters }} />`,
  };
}

/** A product is a click away; typing narrows them. */
class ChooseProduct extends Component {
  state = { wanted: '' };

  render({ products, parameters }, { wanted }) {
    if (products.length === 0) return html`<p>There is no product in which you may file bugs.</p>`;
    const address = (name) => `enter_bug.cgi?${new URLSearchParams([['product', name], ...parameters])}`;
    const text = ({ name, description }) => `${name} ${description}`.toLowerCase();
    const found = products.filter((one) => text(one).includes(wanted.toLowerCase()));
    const go = (event) => {
      event.preventDefault();
      if (found.length > 0) location.assign(address(found[0].name));
    };
    return html`<form class="form" aria-label="Choose a product" onSubmit=${go}>
      <div class="field"><label for="product-filter">Product</label><input id="product-filter" type="text" placeholder="Type to narrow: name or what it is" value=${wanted} onInput=${({ target }) => this.setState({ wanted: target.value })} /></div>
      <ul class="products">${found.map(({ name, description }) => html`<li><a href=${address(name)} dir="auto">${name}</a><p class="soft" dir="auto">${withoutTags(description)}</p></li>`)}</ul></form>`;
  }
}

/** The bug that is cloned, with the text of its description; undefined: none. */
async function readClone(id) {
  if (!id) return undefined;
  const name = encodeURIComponent(id);
  const [{ bugs }, comments] = await Promise.all([rest(`bug/${name}`), rest(`bug/${name}/comment?limit=1`)]);
  const [bug] = bugs;
  return { ...bug, text: Object.values(comments.bugs)[0].comments[0] };
}

/**
 * What the form begins with: of the address, else of the cloned bug, else the only component, the newest version. An address never makes
 * public what is private in the cloned bug.
 */
function givenContent(parameters, clone, choices) {
  const { components, versions, default_milestone, description_template = '' } = choices.product;
  const active = (list) => list.filter(({ is_active }) => is_active).map(({ name }) => name);
  const [only, ...others] = active(components);
  const values = {
    component: others.length === 0 ? (only ?? '') : '',
    version: newest(active(versions)),
    target_milestone: default_milestone,
  };
  const content = { values, description: description_template, isPrivate: false };
  if (clone !== undefined) {
    for (const name of CLONED) values[name] = inputValue({ kind: 'text' }, clone[name]);
    // A new bug is shown to people on CC.
    if (!clone.is_cc_accessible) values.cc = '';
    const { id, text } = clone;
    content.description = `+++ This bug was initially created as a clone of Bug #${id} +++\n\n${text?.text ?? ''}`;
    content.isPrivate = text?.is_private === true;
  }
  for (const name of new Set(parameters.keys())) {
    const all = parameters.getAll(name);
    if (name === 'comment') content.description = all[0];
    else if (name === 'comment_is_private') content.isPrivate ||= all[0] === '1' || all[0] === 'on';
    else values[restName(name)] = choices.several.includes(name) ? all : all.join(', ');
  }
  return content;
}

/** The version that is proposed: as in Bugzilla the last one. */
const newest = (names) => names.filter((name) => name !== 'unspecified').at(-1) ?? names[0] ?? '';

/** `user`, `choices` of the product, `given`: what the form begins with, `clone`: the bug that is cloned; undefined: none. */
class EnterForm extends DraftForm {
  async componentDidMount() {
    super.componentDidMount();
    focusOn(inputId('summary'));
    const { name, components } = this.props.choices.product;
    const people = components.map((one) => one.default_assigned_to).filter(Boolean);
    const [isRestricted, names_] = await Promise.all([hidesBugs(name), readNames(people)]);
    this.setState({ isRestricted, names: names_ });
  }

  get subject() {
    const { choices, clone } = this.props;
    return `new ${choices.product.name}${clone === undefined ? '' : ` as ${clone.id}`}`;
  }

  /** The groups of the cloned bug. */
  get cloned() {
    return this.props.clone?.groups ?? [];
  }

  isConfidential({ isPrivate, values }) {
    return (
      this.state.isRestricted !== false || isPrivate || (values.groups ?? '') !== '' || this.cloned.length > 0
    );
  }

  /** `widened`: the groups of the cloned bug that the reader takes away */
  emptyContent() {
    return { ...this.props.given, widened: [], flags: {} };
  }

  isChanged(content) {
    const text = ({ key, ...others }) => JSON.stringify(others);
    return text(content) !== text(this.emptyContent());
  }

  fields() {
    const { choices, user } = this.props;
    const none = 'status resolution component version target_milestone severity priority platform op_sys';
    const before = Object.fromEntries(none.split(' ').map((name) => [name, '']));
    const isOffered = ({ name }) =>
      name !== 'product' && (user.rights.edit_bugs || !OF_EDITORS.includes(name));
    const shown = fieldsOf(choices, before, user.rights).filter(isOffered);
    const version = shown.find(({ name }) => name === 'version');
    if (version) version.hint = 'The newest, unless you choose another.';
    return [SUMMARY, ...shown.filter(isFirst), ...shown.filter((one) => !isFirst(one)), CC];
  }

  /** Says everything that is missing at once. */
  submit(event) {
    event.preventDefault();
    const values = this.values();
    const missing = this.fields()
      .filter((one) => one.isRequired && isShown(one, values))
      .filter(({ name }) => String(values[name] ?? '').trim() === '');
    if (missing.length === 0) return super.submit(event);
    const problems = Object.fromEntries(missing.map(({ name, label }) => [name, `${label} is needed.`]));
    const labels = missing.map(({ label }) => label.toLowerCase()).join(' and ');
    this.setState(
      { problems, problem: `Not filed yet: ${labels} ${missing.length === 1 ? 'is' : 'are'} missing.` },
      () => focusOn(inputId(missing[0].name)),
    );
  }

  set(name, value) {
    this.change({ values: { ...this.state.content.values, [name]: value } });
  }

  values() {
    const { values, description } = this.state.content;
    return { ...values, description, comment: description, flags: '', attachments: '' };
  }

  flagTypes() {
    return flagTypesOf(this.props.choices, this.state.content.values.component);
  }

  body() {
    const { choices } = this.props;
    const { values, description, isPrivate, widened, flags } = this.state.content;
    const shown = this.fields().filter((field) => isShown(field, values));
    const sent = shown.flatMap(({ name, kind }) => {
      const value = values[name] ?? '';
      if (value.length === 0) return [];
      return [[name, kind === 'list' || kind === 'people' ? names(value) : value]];
    });
    const newFlags = sentFlags([], this.flagTypes(), flags);
    const kept = this.cloned.filter((name) => !widened.includes(name));
    return {
      product: choices.product.name,
      ...Object.fromEntries(sent),
      ...(kept.length === 0 ? {} : { groups: [...new Set([...kept, ...names(values.groups ?? '')])] }),
      description,
      ...(isPrivate ? { comment_is_private: true } : {}),
      ...(newFlags.length === 0 ? {} : { flags: newFlags }),
    };
  }

  async send() {
    // A bug that is there when an attachment fails is not filed again.
    const { key } = this.state.content;
    const id = this.filed ?? (await send('POST', 'bug', this.body(), { 'Idempotency-Key': key })).id;
    this.filed = id;
    await this.sendUploads(id).catch(({ message, code }) => {
      const text = `Bug ${id} is filed, but not all of its attachments: ${message}`;
      throw Object.assign(new Error(text), { code });
    });
    this.isDone = true;
    this.clear();
    location.assign(`show_bug.cgi?id=${id}`);
  }

  /** The components with what they are for, and to whom their bugs go. */
  components({ name, label, options }) {
    const { components } = this.props.choices.product;
    const about = (component) => {
      const { description, default_assigned_to: who } = components.find((one) => one.name === component);
      return `${description}${who ? `; goes to ${shownName(who, this.state.names)}` : ''}`;
    };
    const { content, problems } = this.state;
    return html`<${Options} ...${{ name, label, isOne: true, chosen: [content.values.component], problem: problems.component }} options=${options.filter(Boolean).map((one) => [one, about(one)])} onChange=${([component]) => this.set(name, component)} />`;
  }

  render({ user, choices, clone }, { content, uploads, problems, problem, isSending }) {
    const { values } = content;
    const field = (one) => this.field(one);
    const all = this.fields().filter((one) => isShown(one, values));
    const component = all.find(({ name }) => name === 'component');
    const others = all.filter((one) => one !== SUMMARY && one !== component);
    const [shown, rare] = [others.filter(isFirst), others.filter((one) => !isFirst(one))];
    const begun = this.emptyContent().values;
    const isNeeded = rare.some(
      ({ name }) =>
        problems[name] ||
        (begun[name] && name !== 'target_milestone') ||
        (begun[name] ?? '') !== (values[name] ?? ''),
    );
    // The new bug is restricted, too, unless the reader takes groups away.
    const restrictions = {
      ...{ name: 'restriction', label: `Restricted as bug ${clone?.id}, which is cloned` },
      options: this.cloned.map((name) => [name, `Only for the group ${name}`]),
    };
    const template =
      choices.product.description_template &&
      html`<span class="soft small push">Template of ${choices.product.name}</span>`;
    const unfold = ({ target }) => {
      this.isUnfolded = target.open;
    };
    return html`<form class="form aside" aria-label="New bug" ...${this.handlers()}><div class="stack">
      ${this.offer()}
      <${FormProblem} text=${problem} />
      ${field(SUMMARY)}
      ${component && this.components(component)}
      <div class="three">${shown.map(field)}</div>
      <div class="field"><span class="label">Description</span><${Writer} form=${this} field=${DESCRIPTION} privacy="The description is private" foot=${template} /></div>
      ${this.cloned.length > 0 && html`<${Checks} field=${restrictions} value=${this.cloned.filter((one) => !content.widened.includes(one))} onChange=${(kept) => this.change({ widened: this.cloned.filter((one) => !kept.includes(one)) })} />`}
      <details class="fold" open=${isNeeded || this.isUnfolded} onToggle=${unfold}><summary>More fields: assignee, CC, keywords, relations …<${Icon} name="down" /></summary><div class="two">${rare.map(field)}</div></details>
      <${FlagInputs} ...${{ flags: [], types: this.flagTypes(), given: content.flags, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />
      <div class="actions"><button type="submit" class="primary" aria-disabled=${isSending}>${isSending ? 'Filing …' : 'File the bug'} <kbd aria-hidden="true">Ctrl ⏎</kbd></button>
        ${this.isUnsaved() && html`<${Discard} text=${content.description} files=${uploads.length} onDiscard=${() => this.discard()} /><span class="soft small push">Draft kept in this tab</span>`}</div>
      </div><${Similar} product=${choices.product.name} summary=${values.summary ?? ''} user=${user} />
    </form>`;
  }
}
