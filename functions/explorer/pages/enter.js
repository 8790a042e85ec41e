import { fieldsOf, inputValue, isShown, names, readChoices, restName } from './bug-fields.js';
import { html } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { DraftForm } from './form.js';
import { Check, Field } from './inputs.js';
import { apiKey, newKey, reader, rest, send } from './rest.js';
import { Uploads } from './uploads.js';

const SUMMARY = { name: 'summary', label: 'Summary', kind: 'text', isRequired: true };
const DESCRIPTION = { name: 'description', label: 'Description', kind: 'long', rows: 12 };
const CC = { name: 'cc', label: 'CC', kind: 'people' };

/** Fields that a clone takes over, as in Bugzilla. */
const CLONED =
  'component version severity priority platform op_sys assigned_to qa_contact cc keywords whiteboard url depends_on blocks summary target_milestone deadline groups'.split(
    ' ',
  );

/** The page on which a bug is filed. Parameters, those of Bugzilla's page, fill in the form; they never send it. */
export async function enterPage(parameters) {
  if (apiKey() === '') return signInFirst;
  const [user, clone] = await Promise.all([reader(), readClone(parameters.get('cloned_bug_id'))]);
  const product = parameters.get('product') || clone?.product || '';
  if (product === '') return chooseProduct(parameters);
  const choices = await readChoices(product, user.name);
  const given = givenValues(parameters, clone, choices);
  return {
    title: `New bug of ${choices.product.name}`,
    content: html`<h1>New bug of ${choices.product.name}</h1>
      <p><a href=${`enter_bug.cgi?${withoutProduct(parameters)}`}>Another product</a></p>
      <${EnterForm} ...${{ user, choices, given }} />`,
  };
}

const signInFirst = {
  title: 'New bug',
  content: html`<h1>New bug</h1><p>To file a bug, sign in above. The form has what the address fills in then.</p>`,
};

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

/** The values that the form begins with: of the address, else of the cloned bug, else where there is one choice. */
function givenValues(parameters, clone, choices) {
  const given = {};
  const only = (list) => {
    const active = list.filter(({ is_active }) => is_active);
    return active.length === 1 ? active[0].name : '';
  };
  given.component = only(choices.product.components);
  given.version = only(choices.product.versions);
  if (clone !== undefined) {
    for (const name of CLONED) given[name] = inputValue({ kind: 'text' }, clone[name]);
    const { id, text } = clone;
    given.description = `+++ This bug was initially created as a clone of Bug #${id} +++\n\n${text?.text ?? ''}`;
    given.isPrivate = text?.is_private === true;
  }
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    if (name === 'comment') given.description = values[0];
    else if (name === 'comment_is_private') given.isPrivate = values[0] === '1' || values[0] === 'on';
    else given[restName(name)] = isMultiple(name, choices) ? values : values.join(', ');
  }
  return given;
}

const isMultiple = (name, { custom }) => custom.some((one) => one.name === name && one.type === 3);

/** `user`, `choices` of the product, `given`: values that the form begins with. */
class EnterForm extends DraftForm {
  get subject() {
    return `new ${this.props.choices.product.name}`;
  }

  isConfidential({ isPrivate, values }) {
    return isPrivate || (values.groups ?? '') !== '';
  }

  emptyContent() {
    const { description = '', isPrivate = false, ...values } = this.props.given;
    return { values, description, isPrivate, flags: {}, key: newKey() };
  }

  isChanged({ values, description, flags }) {
    const empty = this.emptyContent();
    const isSame = JSON.stringify([values, flags]) === JSON.stringify([empty.values, empty.flags]);
    return !isSame || description !== empty.description;
  }

  fields() {
    const { choices, user } = this.props;
    const none = { status: '', resolution: '', component: '', version: '', target_milestone: '' };
    const fields = fieldsOf(
      choices,
      { ...none, severity: '', priority: '', platform: '', op_sys: '' },
      user.rights,
    );
    return [SUMMARY, ...fields.filter(({ name }) => name !== 'product'), CC];
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
    const { values, description, isPrivate, flags } = this.state.content;
    const shown = this.fields().filter((field) => isShown(field, choices, { status: '', ...values }));
    const sent = shown.flatMap(({ name, kind }) => {
      const value = values[name] ?? '';
      if (value.length === 0) return [];
      return [[name, kind === 'list' || kind === 'people' ? names(value) : value]];
    });
    const newFlags = sentFlags([], this.flagTypes(), flags);
    return {
      product: choices.product.name,
      ...Object.fromEntries(sent),
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

  render({ user, choices }, { content, uploads, problems, problem, isSending }) {
    const values = { status: '', ...content.values };
    const set = (name, value) => this.change({ values: { ...content.values, [name]: value } });
    const field = (one) =>
      html`<${Field} key=${one.name} field=${one} value=${values[one.name] ?? ''} problem=${problems[one.name]} onChange=${(value) => set(one.name, value)} />`;
    const [summary, ...others] = this.fields().filter((one) => isShown(one, choices, values));
    return html`<form class="edit" aria-label="New bug" ...${this.handlers()}>
      ${problem !== '' && html`<p role="alert" id="form-problem" tabindex="-1">${problem}</p>`}
      ${field(summary)}
      <${Field} field=${DESCRIPTION} value=${content.description} problem=${problems.description ?? problems.comment} onChange=${(description) => this.change({ description })} />
      ${user.rights.insider && html`<${Check} name="private" label="The description is private" value=${content.isPrivate} onChange=${(isPrivate) => this.change({ isPrivate })} />`}
      <${Uploads} ...${{ uploads, isInsider: user.rights.insider, problem: problems.attachments, onAdd: (files) => this.add(files), onChange: (next) => this.setState({ uploads: next }) }} />
      <fieldset class="grid"><legend>Fields</legend>${others.map(field)}</fieldset>
      <${FlagInputs} ...${{ flags: [], types: this.flagTypes(), given: content.flags, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />
      <div class="buttons">
        <button type="submit" aria-disabled=${isSending}>${isSending ? 'Filing …' : 'File the bug'}</button>
        <button type="button" class="plain" onClick=${() => this.clear()}>Discard</button>
      </div>
    </form>`;
  }
}
