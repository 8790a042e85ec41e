import { focusOn, html, Listening, Notice, say } from './elements.js';
import { Field, inputId } from './inputs.js';
import { restName, tableOf } from './labels.js';
import { KEY_INVALID, reader } from './rest.js';

/** The codes of the errors that are about a field. */
const CODES = tableOf(
  `alias 103, component 105, product 106, summary 107, see_also 112, comment 113 114, depends_on 116, dupe_of 118 119, groups 120,
  resolution 121 122, status 123, flags 129 130 131 132 133 134, cc 504, attachments 600 601 603 604 606,
  name 105 700 701 702 800 801 1101 1200, email 500 501, default_cc 504, description 703 802 1102, version 704,
  default_milestone 705, user_regexp 803, cc_list 1103, sortkey 1104`,
);

/** The field of a form that an error is about: by its code, or by the field or value that it quotes. `values` of the form: texts, or lists */
function fieldOfProblem({ code, message }, values) {
  const known = Object.keys(values);
  const ofCode = known.find((name) => CODES[name]?.split(' ').includes(String(code)));
  if (ofCode !== undefined) return ofCode;
  const quoted = [...message.matchAll(/'([^']*)'|#(\d+)/g)].map(([, text, id]) => text ?? id);
  const spoken = [...message.matchAll(/\b(?:of|no|The) (\w+)/g)].map(([, word]) => word);
  const named = [...quoted, ...spoken].map(restName).find((name) => known.includes(name));
  if (named !== undefined) return named;
  const isQuoted = (value) => value.trim() !== '' && quoted.includes(value.trim());
  const holder = known.find((name) => String(values[name]).split(',').some(isQuoted));
  if (holder !== undefined) return holder;
  return /\bcomment is required\b/.test(message) ? 'comment' : code === 104 ? 'summary' : '';
}

/**
 * What every form does: it is sent once at a time; what is refused is said at its field, or above all; where the session has ended, it
 * asks for a sign-in in place, and sends again. Subclasses have `send()`, and `values()` by name of the field; those that ask before they
 * are left have `content` in their state, `emptyContent()` and `isChanged(content)`.
 */
export class Form extends Listening {
  state = { problems: {}, problem: '', isSending: false };

  componentDidMount() {
    // Somebody leaves, or signed in or out in another tab: the page stays where something is written.
    this.listen('beforeunload bugless-key', (event) => this.isUnsaved() && event.preventDefault());
  }

  isUnsaved() {
    return !this.isDone && this.state.content !== undefined && this.isChanged(this.state.content);
  }

  values() {
    return {};
  }

  /** What the id of the input of a field is made of. */
  idOf(field) {
    return field;
  }

  async submit(event) {
    event.preventDefault();
    // The state changes later, and the page is shown anew later: a second click would send again.
    if (this.isSending || this.isDone) return;
    this.isSending = true;
    // What was saved before says nothing of this.
    say('');
    this.setState({ isSending: true, problems: {}, problem: '' });
    try {
      await this.send().catch((problem) => this.sendAgain(problem));
    } catch (problem) {
      this.showProblem(problem);
    }
    this.isSending = false;
    this.setState({ isSending: false });
  }

  /** Where the session has ended: asks for a sign-in at the top of the page, and sends again, unless it is of somebody else. */
  async sendAgain(problem) {
    const before = problem.code === KEY_INVALID && (await reader().catch(() => undefined));
    if (!before) throw problem;
    const detail = { login: before.name };
    dispatchEvent(new CustomEvent('bugless-ended', { detail }));
    await detail.signed;
    const user = await reader(true);
    const isOther = user?.name !== before.name;
    dispatchEvent(new CustomEvent('bugless-signed', { detail: { isOther } }));
    if (isOther) throw new Error(`It is not sent: it was written by ${before.name}. It stays here.`);
    await this.send();
  }

  /** Shows a problem at its field, or above the form, and goes there. */
  showProblem(problem) {
    const idOf = (field) => inputId(this.idOf(field));
    const found = [fieldOfProblem(problem, this.values()), this.props.problemAt];
    const field = found.find((one) => one && document.getElementById(idOf(one)) !== null);
    if (field === undefined) this.setState({ problem: problem.message }, () => focusOn(this.idOf('problem')));
    else this.setState({ problems: { [field]: problem.message } }, () => focusOn(idOf(field)));
  }

  /** What the form element does: Ctrl+Enter sends, Escape closes. */
  handlers() {
    return {
      noValidate: true,
      onSubmit: (event) => this.submit(event),
      onKeyDown: (event) => {
        const { key, ctrlKey, metaKey } = event;
        if (key === 'Enter' && (ctrlKey || metaKey)) this.submit(event);
        if (key !== 'Escape' || this.props.onClose === undefined) return;
        event.stopPropagation();
        this.props.onClose();
      },
    };
  }

  /** The input of a field, with what is wrong with it; subclasses that have fields have `set(name, value)`, too. */
  field(one) {
    const field = { ...one, name: this.idOf(one.name) };
    return html`<${Field} key=${one.name} field=${field} value=${this.values()[one.name] ?? ''} problem=${this.state.problems[one.name]} onChange=${(value) => this.set(one.name, value)} />`;
  }
}

/** Above a form: what went wrong with no field in particular. */
export const FormProblem = ({ text, id = 'problem' }) =>
  text !== '' && html`<${Notice} kind="bad" id=${id}><p>${text}</p><//>`;
