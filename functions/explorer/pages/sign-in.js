import { Component } from 'preact';
import { html } from './elements.js';
import { keepApiKey, newKey, openAnew, send } from './rest.js';

/** Verifiers of the sign-ins that were asked for in this browser: only it can exchange their codes. */
const PENDING = 'bugless sign-ins';
const MAX_PENDING = 5;
/** How long a code is valid, in ms. */
const VALID_MS = 15 * 60 * 1_000;
/** Characters of a challenge in links. */
const SHOWN_LENGTH = 12;
/** The address that was shown when the sign-in was asked for in this tab. */
const WAY_BACK = 'bugless way-back';

/** Whether the deployment mails codes for signing in; asked without a key, which may have ended. */
export async function hasSignIn() {
  const response = await fetch('rest/parameters?include_fields=sign_in_by_mail');
  return (await response.json()).parameters.sign_in_by_mail === '1';
}

/** The sign-ins that may still be exchanged, the newest first; none where what is stored cannot be read. */
function pending() {
  try {
    const stored = JSON.parse(localStorage.getItem(PENDING) ?? '[]');
    return stored.filter(
      ({ login, verifier, askedAt }) => login && verifier && Date.now() - askedAt < VALID_MS,
    );
  } catch {
    return [];
  }
}

const keepPending = (all) => localStorage.setItem(PENDING, JSON.stringify(all.slice(0, MAX_PENDING)));

async function challengeOf(verifier) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What the last sign-in gave to this browser: it signs nobody in, and stays when the reader signs out. */
const BROWSER = 'bugless-browser';

/** Asks for a mail with a code. */
async function ask(login) {
  const verifier = newKey() + newKey();
  const challenge = await challengeOf(verifier);
  const asked = { login, verifier, start: challenge.slice(0, SHOWN_LENGTH), askedAt: Date.now() };
  // Before the request: where the browser keeps nothing, a mail would be of no use.
  keepPending([asked, ...pending()]);
  sessionStorage.setItem(WAY_BACK, location.pathname + location.search + location.hash);
  const browser = localStorage.getItem(BROWSER) ?? '';
  const { mail_folder } = await send('POST', 'bugless/sign_in', { login, challenge, browser });
  return { ...asked, mail_folder };
}

/** Exchanges a code, and goes back to where the sign-in was asked for in this tab. */
async function exchange({ verifier }, code) {
  const { key, browser } = await send('POST', 'bugless/session', { code, verifier });
  localStorage.setItem(BROWSER, browser);
  const wayBack = sessionStorage.getItem(WAY_BACK) ?? './';
  // It removes what belongs to former sign-ins, too.
  keepApiKey(key, true);
  openAnew(wayBack);
}

/** A form that sends once, and says what went wrong. */
class SignInStep extends Component {
  submit = async (event) => {
    event.preventDefault();
    if (this.state.isSending) return;
    this.setState({ isSending: true, problem: '' });
    await this.send().catch(({ message }) => this.setState({ problem: message }));
    this.setState({ isSending: false });
  };
}

/** Asks for a mail, and for its code. */
export class SignInForm extends SignInStep {
  async send() {
    const { asked, login = '', code = '' } = this.state;
    if (asked !== undefined) await exchange(asked, code);
    else
      this.setState({ asked: await ask(login.trim()) }, () =>
        document.getElementById('sign-in-code').focus(),
      );
  }

  render(_, { asked, problem, login, code }) {
    const email = html`<label for="sign-in-login">Email address</label>
      <input id="sign-in-login" type="email" required maxlength="255" autocomplete="email" value=${login ?? ''} onInput=${({ target }) => this.setState({ login: target.value })} />
      <button type="submit">Mail me a link</button>
      <p>It signs you in on this device, for 30 days.</p>`;
    const entry =
      asked &&
      html`
      <p>If there is an account ${asked.login}, ${asked.mail_folder === undefined ? 'it gets a mail within a minute or so. Open its link' : `the terminal of npm start shows its link, and its mail is a file in ${asked.mail_folder}/. Open the link`} in this browser, or enter its code:</p>
      <label for="sign-in-code">Code</label>
      <input id="sign-in-code" required autocomplete="one-time-code" autocapitalize="characters" spellcheck=${false} value=${code ?? ''} onInput=${({ target }) => this.setState({ code: target.value })} />
      <button type="submit">Sign in as ${asked.login}</button>
      <button type="button" class="plain" onClick=${() => this.setState({ asked: undefined, problem: '' })}>Another address</button>`;
    return html`<form class="sign-in" aria-label="Sign in by mail" onSubmit=${this.submit}>
      ${entry ?? email}
      <p role="status">${problem}</p>
    </form>`;
  }
}

class LinkStep extends SignInStep {
  send() {
    return exchange(this.props.asked, this.props.code);
  }

  render({ asked }, { problem, isSending }) {
    return html`<form onSubmit=${this.submit}>
      <h1>Sign in</h1>
      <p>This signs you in on this device, for 30 days.</p>
      <div class="buttons"><button type="submit" aria-disabled=${isSending}>Sign in as ${asked.login}</button></div>
      <p role="alert">${problem}</p>
    </form>`;
  }
}

/** The page that a link of a mail opens: nothing is exchanged before a click, since scanners open links, too. */
export function signInPage(given) {
  const [code, start] = given.split('.');
  const asked = pending().find((one) => one.start === start);
  const content =
    asked === undefined
      ? html`<div>
          <h1>This link is for another browser, or too old</h1>
          <p>It signs in only where it was asked for, within 15 minutes. If you asked for it yourself, enter the code of the mail there; or ask for another mail here:</p>
          <${SignInForm} />
        </div>`
      : html`<${LinkStep} ...${{ asked, code }} />`;
  return { title: 'Sign in – Bugless', content };
}
