import { Component } from 'preact';
import { flagTypesOf, readChoices } from './bug-fields.js';
import { html } from './elements.js';
import { FlagInputs, sentFlags } from './flag-inputs.js';
import { box, OperationForm, text } from './operation-form.js';
import { send } from './rest.js';
import { mayChangeAttachment } from './rights.js';

const FIELDS = [
  ...[text('summary', 'Summary'), text('file_name', 'File name'), text('content_type', 'Type')],
  ...[box('is_obsolete', 'Obsolete'), box('is_patch', 'Patch'), box('is_private', 'Private')],
];

/** What is said of an attachment, and its flags. `attachment`, `bug`, `user` as whoami tells, `onClose`, `onSaved` */
export class AttachmentForm extends Component {
  state = { types: [], given: {} };

  async componentDidMount() {
    const { bug, attachment } = this.props;
    const reading = readChoices(bug.product).then((all) => flagTypesOf(all, bug.component, 'attachment'));
    this.setState({ types: await reading.catch(() => []) }, () =>
      document.querySelector(`#a${attachment.id} form input`)?.focus(),
    );
  }

  send = (body) => {
    const { attachment } = this.props;
    const flags = sentFlags(attachment.flags ?? [], this.state.types, this.state.given);
    return send('PUT', `bug/attachment/${attachment.id}`, { ...body, ...(flags.length > 0 && { flags }) });
  };

  onDone = async () => {
    const { attachment, onSaved, onClose } = this.props;
    await onSaved({ focus: `change-a${attachment.id}`, text: 'Saved.' });
    onClose();
  };

  render({ attachment, user, onClose }, { types, given }) {
    const isShown = ({ name }) => name !== 'is_private' || user.rights.insider;
    const fields = mayChangeAttachment(attachment, user) ? FIELDS.filter(isShown) : [];
    const boxes = fields
      .filter(({ kind }) => kind === 'check')
      .map(({ name }) => [name, attachment[name] === 1]);
    const values = { ...attachment, ...Object.fromEntries(boxes) };
    return html`<${OperationForm} ...${{ name: `a${attachment.id}`, label: `Change ${attachment.summary}`, fields, values, onClose }} send=${this.send} onDone=${this.onDone}>
      ${types.length > 0 && html`<${FlagInputs} ...${{ flags: attachment.flags ?? [], types, given, prefix: `a${attachment.id}-`, onChange: (next) => this.setState({ given: next }) }} />`}<//>`;
  }
}
