import { focusOn, html, Icon, Reading, showBar } from './elements.js';
import { Form } from './form.js';
import { apiKey, isKeptOnDevice, keepApiKey, newKey, openAnew, send } from './rest.js';

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
async function hasSignIn() {
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

/** Exchanges a code for a session, and keeps it; returns where the sign-in was asked for in this tab. */
async function exchange({ verifier }, code) {
  const { key, browser } = await send('POST', 'bugless/session', { code, verifier });
  localStorage.setItem(BROWSER, browser);
  const wayBack = sessionStorage.getItem(WAY_BACK) ?? './';
  // It removes what belongs to former sign-ins, too.
  keepApiKey(key, true);
  return wayBack;
}

/** Asks for a mail, and for its code. `name`: what its ids begin with, `login`: what it begins with, `onSigned`: is called then */
class MailForm extends Form {
  state = { ...this.state, login: this.props.login };

  async send() {
    const { asked, login = '', code = '' } = this.state;
    const { name, onSigned } = this.props;
    if (asked !== undefined) {
      onSigned(await exchange(asked, code));
    } else this.setState({ asked: await ask(login.trim()) }, () => focusOn(`${name}-code`));
  }

  render({ name }, { asked, problem, login, code, isSending }) {
    const email = html`<div class="field"><label class=${name === 'again' ? 'sr' : undefined} for=${`${name}-login`}>Email address</label>
      <input id=${`${name}-login`} type="email" required maxlength="255" autocomplete="email" aria-describedby=${`${name}-hint`} value=${login ?? ''} onInput=${({ target }) => this.setState({ login: target.value })} />
      <span class="hint" id=${`${name}-hint`}>You get a link that signs you in on this device, for 30 days. No password.</span></div>
      <button type="submit" class="primary" aria-disabled=${isSending}>Mail me a link</button>`;
    const entry =
      asked &&
      html`
      <p>If there is an account ${asked.login}, ${asked.mail_folder === undefined ? 'it gets a mail within a minute or so. Open its link' : `the terminal of npm start shows its link, and its mail is a file in ${asked.mail_folder}/. Open the link`} in this browser, or enter its code:</p>
      <div class="field"><label for=${`${name}-code`}>Code</label>
      <input id=${`${name}-code`} required autocomplete="one-time-code" autocapitalize="characters" spellcheck=${false} value=${code ?? ''} onInput=${({ target }) => this.setState({ code: target.value })} /></div>
      <button type="submit" class="primary" aria-disabled=${isSending}>Sign in as ${asked.login}</button>
      <button type="button" class="quiet" onClick=${() => this.setState({ asked: undefined, problem: '' })}>Another address</button>`;
    return html`<form class="stack" aria-label=${labelOf(name, 'Sign in by mail')} onSubmit=${(event) => this.submit(event)}>
      ${entry ?? email}
      <p role="status" class="problem">${problem}</p>
    </form>`;
  }
}

/** A form of the header has no name: a page may have the same. */
const labelOf = (name, label) => (name === 'top' ? undefined : label);

/** Takes an API key, for this tab or for the device. `kind` of its button */
const KeyForm = ({ name, kind, onSigned }) => {
  const use = (event) => {
    event.preventDefault();
    const [key, isForDevice] = ['key', 'keep'].map((part) => document.getElementById(`${name}-${part}`));
    keepApiKey(key.value.trim(), isForDevice.checked);
    onSigned();
  };
  return html`<form class="stack" aria-label=${labelOf(name, 'Sign in by a key')} onSubmit=${use}>
    <div class="field"><label for=${`${name}-key`}>API key</label><input id=${`${name}-key`} type="password" autocomplete="off" spellcheck=${false} /></div>
    <label class="check"><input id=${`${name}-keep`} type="checkbox" defaultChecked=${isKeptOnDevice()} /> Keep it on this device</label>
    <button type="submit" class=${kind}>Use this key</button></form>`;
};

/** The ways to sign in: by mail, where the deployment sends it, and by an API key. Properties as of MailForm */
export const SignIn = ({ name, login, onSigned }) =>
  html`<${Reading} read=${() => hasSignIn().catch(() => false)}>${(isOffered) => {
    if (isOffered === undefined) return html`<p class="soft">…</p>`;
    const onKey = onSigned ?? (() => location.reload());
    const keyForm = html`<${KeyForm} ...${{ name, kind: isOffered ? '' : 'primary', onSigned: onKey }} />`;
    if (!isOffered) return keyForm;
    return html`<div class="stack"><${MailForm} ...${{ name, login }} onSigned=${onSigned ?? openAnew} />
      <p class="or">or</p><details class="fold"><summary>Use an API key<${Icon} name="down" /></summary>${keyForm}</details></div>`;
  }}<//>`;

/** Asks at the top of the page for a sign-in, because the session of `login` has ended; done when there is another one. */
export function signInAgain(login) {
  return new Promise((resolve) => {
    const done = () => {
      removeEventListener('bugless-key', onKey);
      showBar();
      resolve();
    };
    // The link of the mail was opened in another tab.
    const onKey = (event) => {
      event.preventDefault();
      if (apiKey() !== '') done();
    };
    addEventListener('bugless-key', onKey);
    showBar(
      html`<p><b>Your session has ended. What you wrote is not saved yet.</b> Sign in, and it is sent.</p><${SignIn} name="again" login=${login} onSigned=${done} />`,
    );
    document.querySelector('#bar .notice').focus();
  });
}

class LinkStep extends Form {
  async send() {
    openAnew(await exchange(this.props.asked, this.props.code));
  }

  render({ asked }, { problem, isSending }) {
    return html`<form class="card stack" onSubmit=${(event) => this.submit(event)}>
      <h1>Sign in</h1>
      <p class="soft">This signs you in on this device, for 30 days.</p>
      <button type="submit" class="primary" aria-disabled=${isSending}>Sign in as ${asked.login}</button>
      <p role="alert" class="problem">${problem}</p>
    </form>`;
  }
}

/** The page that a link of a mail opens: nothing is exchanged before a click, since scanners open links, too. */
export function page(_, given) {
  const [code, start] = given.split('.');
  const asked = pending().find((one) => one.start === start);
  const content =
    asked === undefined
      ? html`<div class="card stack">
          <h1>This link is for another browser, or too old</h1>
          <p>It signs in only where it was asked for, within 15 minutes. If you asked for it yourself, enter the code of the mail there; or ask for another mail here:</p>
          <${SignIn} name="page" />
        </div>`
      : html`<${LinkStep} ...${{ asked, code }} />`;
  return { title: 'Sign in – Bugless', content };
}
