import { readChoices } from './bug-fields.js';
import { html } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { DraftForm, FormProblem } from './form.js';
import { Check, Field } from './inputs.js';
import { newKey, send } from './rest.js';
import { mayChangeAttachment } from './rights.js';

const FIELDS = [
  { name: 'summary', label: 'Summary', kind: 'text', isRequired: true },
  { name: 'file_name', label: 'File name', kind: 'text', isRequired: true },
  { name: 'content_type', label: 'Type', kind: 'text', isRequired: true },
];
const CHECKS = [
  ['is_obsolete', 'Obsolete'],
  ['is_patch', 'Patch'],
  ['is_private', 'Private'],
];

/** What is said of an attachment, and its flags. `attachment`, `bug`, `user` as whoami tells, `onClose` */
export class AttachmentForm extends DraftForm {
  get subject() {
    return `attachment ${this.props.attachment.id}`;
  }

  get hasDraft() {
    return false;
  }

  get prefix() {
    return `a${this.props.attachment.id}-`;
  }

  emptyContent() {
    return { given: {}, flags: {}, key: newKey() };
  }

  isChanged({ given, flags }) {
    return Object.keys(given).length + Object.keys(flags).length > 0;
  }

  values() {
    return { ...this.props.attachment, ...this.state.content.given, flags: '' };
  }

  async componentDidMount() {
    super.componentDidMount();
    const { bug } = this.props;
    try {
      const { product } = await readChoices(bug.product);
      const component = product.components.find(({ name }) => name === bug.component);
      const types = component?.flag_types.attachment ?? [];
      this.setState({ types }, () => this.focus(`input-${this.prefix}summary`));
    } catch (problem) {
      this.showProblem(problem);
    }
  }

  async send() {
    const { attachment } = this.props;
    const { given, flags } = this.state.content;
    const sent = Object.entries(given).filter(([name, value]) => value !== attachment[name]);
    const changed = sentFlags(attachment.flags ?? [], this.state.types ?? [], flags);
    const body = { ...Object.fromEntries(sent), ...(changed.length === 0 ? {} : { flags: changed }) };
    await send('PUT', `bug/attachment/${attachment.id}`, body);
    this.isDone = true;
    await this.props.onSaved({ focus: `change-a${attachment.id}`, text: 'Saved.' });
    this.props.onClose();
  }

  render({ attachment, user, onClose }, { content, problems, problem, types = [], isSending }) {
    const values = this.values();
    const set = (some) => this.change({ given: { ...content.given, ...some } });
    const { prefix } = this;
    const { onSubmit, onKeyDown } = this.handlers();
    return html`<form class="row editing stack" aria-label=${`Change ${attachment.summary}`} onSubmit=${onSubmit} onKeyDown=${onKeyDown}>
      <${FormProblem} text=${problem} />
      ${
        mayChangeAttachment(attachment, user) &&
        html`
        ${FIELDS.map((one) => html`<${Field} key=${one.name} field=${{ ...one, name: prefix + one.name }} value=${values[one.name]} problem=${problems[one.name]} onChange=${(value) => set({ [one.name]: value })} />`)}
        ${CHECKS.filter(([name]) => name !== 'is_private' || user.rights.insider).map(
          ([name, label]) =>
            html`<${Check} key=${name} name=${prefix + name} label=${label} value=${values[name] === 1} onChange=${(isSet) => set({ [name]: isSet ? 1 : 0 })} />`,
        )}`
      }
      ${types.length > 0 && html`<${FlagInputs} ...${{ flags: attachment.flags ?? [], types, given: content.flags, prefix, problem: problems.flags, onChange: (flags) => this.change({ flags }) }} />`}
      <div class="line">
        <button type="submit" class="tiny accent" aria-disabled=${isSending}>Save</button>
        <button type="button" class="tiny quiet" onClick=${onClose}>Cancel</button>
      </div>
    </form>`;
  }
}
