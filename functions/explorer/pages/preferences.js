import { Component } from 'preact';
import { html, say, tellSaved } from './elements.js';
import { Check, Field, inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { reader, rest, send } from './rest.js';

const PATH = 'bugless/preferences';
/** The code of an operation that needs a sign-in. */
const SIGN_IN_REQUIRED = 410;
const ROLES = [
  ['reporter', 'that I have reported'],
  ['assigned_to', 'that are assigned to me'],
  ['qa_contact', 'of which I am the QA contact'],
  ['cc', 'of which I am on the CC list'],
];
const CHANGES = [
  ['new', 'New bugs'],
  ['comments', 'Comments'],
  ['status', 'Status and resolution'],
  ['cc', 'The CC list'],
  ['other', 'Everything else: fields, attachments, flags'],
];

class Preferences extends Component {
  state = { ...this.props.preferences, problems: {} };

  submit = async (event) => {
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    say('');
    const { real_name, email_enabled, mail_off } = this.state;
    try {
      await send('PUT', PATH, { real_name, email_enabled, mail_off });
      tellSaved('Your preferences are saved.');
    } catch (problem) {
      const field = fieldOfProblem(problem, { real_name }) ?? 'real_name';
      this.setState({ problems: { [field]: problem.message } }, () =>
        document.getElementById(inputId(field)).focus(),
      );
    }
    this.isSending = false;
  };

  render(_, { real_name, email_enabled, mail_off, problems }) {
    const list = (name, all) =>
      all.map(([value, label]) => {
        const off = mail_off[name];
        const set = (isOn) =>
          this.setState({
            mail_off: { ...mail_off, [name]: isOn ? off.filter((one) => one !== value) : [...off, value] },
          });
        return html`<${Check} name=${`${name}-${value}`} label=${label} value=${!off.includes(value)} onChange=${set} />`;
      });
    return html`<form class="edit" aria-label="Your preferences" onSubmit=${this.submit}>
      <${Field} field=${{ name: 'real_name', label: 'Your name', kind: 'text' }} value=${real_name} problem=${problems.real_name} onChange=${(value) => this.setState({ real_name: value })} />
      <${Check} name="email_enabled" label="Mail me about bugs" value=${email_enabled} onChange=${(value) => this.setState({ email_enabled: value })} />
      ${email_enabled && html`<div class="grid lists"><fieldset><legend>Of the bugs</legend>${list('roles', ROLES)}</fieldset><fieldset><legend>About</legend>${list('changes', CHANGES)}</fieldset></div>`}
      <div class="buttons"><button type="submit">Save</button></div>
    </form>`;
  }
}

/** The preferences of the reader; of a link of a mail, what turns mails off: `code` is the user and the code of it. */
export async function preferencesPage(code) {
  if (code !== undefined) return { title: 'Mails – Bugless', content: html`<${Unsubscribe} code=${code} />` };
  if ((await reader()) === undefined) {
    throw Object.assign(new Error('Sign in to see your preferences.'), { code: SIGN_IN_REQUIRED });
  }
  return {
    title: 'Preferences – Bugless',
    content: html`<h1>Your preferences</h1><p><a href="userprefs.cgi?tab=apikey">Your API keys</a></p><${Preferences} preferences=${await rest(PATH)} />`,
  };
}

/** Asks before mails are turned off, because programs open links of mails, too. */
class Unsubscribe extends Component {
  state = { text: 'You get no mails about bugs any more, until you turn them on in your preferences.' };

  turnOff = async () => {
    const [user, code = ''] = this.props.code.split('.');
    const query = new URLSearchParams({ user, code });
    const text = await send('POST', `bugless/unsubscribe?${query}`).then(
      () => 'Mails are off. Turn them on again in your preferences.',
      ({ message }) => message,
    );
    this.setState({ text, isDone: true }, () => document.getElementById('unsubscribed').focus());
  };

  render(_, { text, isDone }) {
    return html`<h1>Turn off mails about bugs?</h1>
      <p id="unsubscribed" role="status" tabindex="-1">${text}</p>
      ${!isDone && html`<div class="buttons"><button type="button" onClick=${this.turnOff}>Turn them off</button></div>`}
      <p><a href="userprefs.cgi">Choose which mails you get</a></p>`;
  }
}
