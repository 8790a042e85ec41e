import { fieldsOf, inputValue, isShown, names, readChoices } from './bug-fields.js';
import { html } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { Discard, DraftForm } from './form.js';
import { Check, Field } from './inputs.js';
import { restName } from './labels.js';
import { apiKey, newKey, reader, readerOf, rest, send } from './rest.js';
import { Similar } from './similar.js';
import { Uploads } from './uploads.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true };
const DESCRIPTION = { name: 'description', label: 'Description', kind: 'long', rows: 9 };
const CC = { name: 'cc', label: 'CC', kind: 'people' };

/** What is asked first, and what is shown at once beside that; the others are folded. */
const FIRST = ['component', 'version'];
const SHOWN = ['severity', 'priority', 'assigned_to', 'cc'];
/** What the interface ignores of those who may not change every bug. */
const OF_EDITORS = ['assigned_to', 'qa_contact', 'blocks', 'depends_on', 'status'];

/** Fields that a clone takes over, as in Bugzilla. Its groups and the privacy of its description only the reader takes away. */
const CLONED =
  'component version severity priority platform op_sys assigned_to qa_contact cc keywords whiteboard url depends_on blocks summary target_milestone deadline'.split(
    ' ',
  );

/** The page on which a bug is filed. Parameters, those of Bugzilla's page, fill in the form; they never send it. */
export async function enterPage(parameters) {
  if (apiKey() === '') return signInFirst;
  const [user, clone] = await Promise.all([reader(), readClone(parameters.get('cloned_bug_id'))]);
  const product = parameters.get('product') || clone?.product || '';
  if (product === '') return chooseProduct(parameters);
  const [choices, isRestricted, editor] = await Promise.all([
    readChoices(product, user.name),
    hidesBugs(product),
    readerOf(user, product),
  ]);
  const given = givenContent(parameters, clone, choices);
  return {
    title: `New bug of ${choices.product.name}`,
    content: html`<h1>New bug of ${choices.product.name}</h1>
      <p><a href=${`enter_bug.cgi?${withoutProduct(parameters)}`}>Another product</a></p>
      <${EnterForm} ...${{ user: editor, choices, given, clone, isRestricted }} />`,
  };
}

const signInFirst = {
  title: 'New bug',
  content: html`<h1>New bug</h1><p>To file a bug, sign in above. The form has what the address fills in then.</p>`,
};

/** Whether nobody sees bugs of a product without signing in: all of them are restricted. */
const hidesBugs = (product) =>
  fetch(`rest/product?${new URLSearchParams({ type: 'selectable', names: product, include_fields: 'id' })}`)
    .then((response) => response.json())
    .then(({ products }) => products?.length !== 1);

const withoutProduct = (parameters) =>
  new URLSearchParams([...parameters].filter(([name]) => name !== 'product' && name !== 'component'));

async function chooseProduct(parameters) {
  const { products } = await rest('product?type=enterable&include_fields=name,description');
  const address = (name) => `enter_bug.cgi?${new URLSearchParams([['product', name], ...parameters])}`;
  return {
    title: 'New bug',
    content: html`<h1>New bug: choose its product</h1>
      ${products.length === 0 && html`<p>There is no product in which you may file bugs.</p>`}
      <ul class="products">${products.map(({ name, description }) => html`<li><a href=${address(name)}>${name}</a><p>${description.replaceAll(/<[^>]*>/g, '')}</p></li>`)}</ul>`,
  };
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
  const numbered = active(versions).filter((name) => name !== 'unspecified');
  const values = {
    component: others.length === 0 ? (only ?? '') : '',
    version: numbered.at(-1) ?? active(versions)[0] ?? '',
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
    else values[restName(name)] = isMultiple(name, choices) ? all : all.join(', ');
  }
  return content;
}

const isMultiple = (name, { custom }) => custom.some((one) => one.name === name && one.type === 3);

/** `user`, `choices` of the product, `given`: what the form begins with, `clone`: the bug that is cloned; undefined: none. */
class EnterForm extends DraftForm {
  get subject() {
    const { choices, clone } = this.props;
    return `new ${choices.product.name}${clone === undefined ? '' : ` as ${clone.id}`}`;
  }

  /** The groups of the cloned bug. */
  get cloned() {
    return this.props.clone?.groups ?? [];
  }

  isConfidential({ isPrivate, values }) {
    return this.props.isRestricted || isPrivate || (values.groups ?? '') !== '' || this.cloned.length > 0;
  }

  /** `widened`: the groups of the cloned bug that the reader takes away */
  emptyContent() {
    return { ...this.props.given, widened: [], flags: {}, key: newKey() };
  }

  isChanged(content) {
    const text = ({ key, ...others }) => JSON.stringify(others);
    return text(content) !== text(this.emptyContent());
  }

  fields() {
    const { choices, user } = this.props;
    const none = { status: '', resolution: '', component: '', version: '', target_milestone: '' };
    const fields = fieldsOf(
      choices,
      { ...none, severity: '', priority: '', platform: '', op_sys: '' },
      user.rights,
    );
    const shown = fields.filter(
      ({ name }) => name !== 'product' && (user.rights.edit_bugs || !OF_EDITORS.includes(name)),
    );
    const isFirst = ({ name, isRequired }) => FIRST.includes(name) || isRequired;
    return [...shown.filter(isFirst), SUMMARY, ...shown.filter((one) => !isFirst(one)), CC];
  }

  /** Says everything that is missing at once. */
  submit(event) {
    event.preventDefault();
    const values = this.values();
    const missing = this.fields()
      .filter((one) => one.isRequired && isShown(one, this.props.choices, { status: '', ...values }))
      .filter(({ name }) => String(values[name] ?? '').trim() === '');
    if (missing.length === 0) return super.submit(event);
    const problems = Object.fromEntries(missing.map(({ name, label }) => [name, `${label} is needed.`]));
    this.setState({ problems, problem: '' }, () => this.focus(`input-${missing[0].name}`));
  }

  values() {
    const { values, description } = this.state.content;
    return { ...values, description, comment: description, flags: '', attachments: '' };
  }

  flagTypes() {
    const { choices } = this.props;
    const { component } = this.state.content.values;
    return choices.product.components.find(({ name }) => name === component)?.flag_types.bug ?? [];
  }

  body() {
    const { choices } = this.props;
    const { values, description, isPrivate, widened, flags } = this.state.content;
    const shown = this.fields().filter((field) => isShown(field, choices, { status: '', ...values }));
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

  render({ user, choices, clone }, { content, uploads, problems, problem, isSending }) {
    const values = { status: '', ...content.values };
    const set = (name, value) => this.change({ values: { ...content.values, [name]: value } });
    const field = (one) =>
      html`<${Field} key=${one.name} field=${one} value=${values[one.name] ?? ''} problem=${problems[one.name]} onChange=${(value) => set(one.name, value)} />`;
    const all = this.fields().filter((one) => isShown(one, choices, values));
    const first = all.slice(0, all.indexOf(SUMMARY));
    const shown = all.filter(({ name }) => SHOWN.includes(name));
    const rare = all.filter((one) => one !== SUMMARY && !first.includes(one) && !shown.includes(one));
    const begun = this.emptyContent().values;
    const isNeeded = rare.some(
      ({ name }) =>
        problems[name] ||
        (begun[name] && name !== 'target_milestone') ||
        (begun[name] ?? '') !== (values[name] ?? ''),
    );
    return html`<form class="edit" noValidate aria-label="New bug" ...${this.handlers()}>
      ${problem !== '' && html`<p role="alert" id="form-problem" tabindex="-1">${problem}</p>`}
      <div class="grid">${first.map(field)}</div>
      ${field(SUMMARY)}
      <${Similar} product=${choices.product.name} summary=${values.summary ?? ''} />
      <${Field} field=${DESCRIPTION} value=${content.description} problem=${problems.description ?? problems.comment} onChange=${(description) => this.change({ description })} />
      ${user.rights.insider && html`<${Check} name="private" label="The description is private" value=${content.isPrivate} onChange=${(isPrivate) => this.setPrivate(isPrivate)} />`}
      <${Uploads} ...${{ uploads, isInsider: user.rights.insider, problem: problems.attachments, onAdd: (files) => this.add(files), onChange: (next) => this.setUploads(() => next) }} />
      ${this.cloned.length > 0 && html`<${Restrictions} ...${{ clone, widened: content.widened, onChange: (widened) => this.change({ widened }) }} />`}
      <div class="grid">${shown.map(field)}</div>
      <details class="more" open=${isNeeded || this.isUnfolded} onToggle=${({ target }) => {
        this.isUnfolded = target.open;
      }}><summary>More fields</summary><div class="grid">${rare.map(field)}</div></details>
      <${FlagInputs} ...${{ flags: [], types: this.flagTypes(), given: content.flags, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />
      <div class="buttons">
        <button type="submit" aria-disabled=${isSending}>${isSending ? 'Filing …' : 'File the bug'}</button>
        <${Discard} text=${content.description} files=${uploads.length} onDiscard=${() => this.discard()} />
      </div>
    </form>`;
  }
}

/** The groups of the cloned bug, to which the new one is restricted, too, unless the reader takes them away. */
const Restrictions = ({ clone, widened, onChange }) => html`<fieldset>
  <legend>Restricted as bug ${clone.id}, which is cloned</legend>
  ${clone.groups.map((name, index) => html`<${Check} key=${name} name=${`restriction-${index}`} label=${`Only for the group ${name}`} value=${!widened.includes(name)} onChange=${(isKept) => onChange(isKept ? widened.filter((one) => one !== name) : [...widened, name])} />`)}
</fieldset>`;
