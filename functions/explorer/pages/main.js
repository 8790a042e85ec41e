import { Component, Fragment, h, render } from 'preact';
import { html, isShortcut, say } from './elements.js';
import { apiKey, isKeptOnDevice, isSession, keepApiKey, onOtherTab, reader, send } from './rest.js';

/** The code in the link of a mail; removed from the address before anything is read. */
const signInCode = /^#sign-in=([\w.]+)$/.exec(location.hash)?.[1];
/** The user and the code in the link that turns mails off. */
const unsubscribeCode = /^#unsubscribe=([\w.-]+)$/.exec(location.hash)?.[1];
if ((signInCode ?? unsubscribeCode) !== undefined)
  history.replaceState(null, '', location.pathname + location.search);

/** The pages by the last part of their address. Each is loaded alone. */
const PAGES = {
  'show_bug.cgi': async () => (await import('./bug.js')).bugPage,
  'buglist.cgi': async () => (await import('./list.js')).listPage,
  'enter_bug.cgi': async () => (await import('./enter.js')).enterPage,
  'query.cgi': async () => (await import('./query.js')).queryPage,
  admin: async () => (await import('./admin.js')).adminPage,
  'page.cgi': async () => (await import('./help.js')).helpPage,
  'userprefs.cgi': async () => {
    if (parameters.get('tab') === 'apikey') return (await import('./keys.js')).keysPage;
    const page = (await import('./preferences.js')).preferencesPage;
    return () => page(unsubscribeCode);
  },
};
const signInPage = async () => {
  const page = (await import('./sign-in.js')).signInPage;
  return () => page(signInCode);
};
const homePage = async () => (await import('./list.js')).homePage;
/** A part of an address whose bytes are not UTF-8 is Windows-1252, as the server reads it. */
function asUtf8(text) {
  try {
    decodeURIComponent(text);
    return text;
  } catch {
    const decoder = new TextDecoder('windows-1252');
    return text.replaceAll(/%([89a-f][\da-f])/gi, (_, hex) =>
      encodeURIComponent(decoder.decode(Uint8Array.of(Number.parseInt(hex, 16)))),
    );
  }
}
const parameters = new URLSearchParams(location.search.replaceAll(';', '&').replaceAll(/[^?&=]+/g, asUtf8));

const KeyForm = () => html`
  <form onSubmit=${useKey}>
    <label for="api-key">API key</label>
    <input id="api-key" type="password" autocomplete="off" spellcheck=${false} />
    <label><input id="keep-key" type="checkbox" defaultChecked=${isKeptOnDevice()} /> Keep it on this device</label>
    <button type="submit">Use it</button>
    ${apiKey() !== '' && html`<button type="button" onClick=${() => changeKey('')}>Forget it</button>`}
    <p>Without a key you see what is public. A key is kept in this tab, unless you say otherwise.</p>
  </form>`;

/** The rights of which each gives a part of administration. */
const ADMINISTRATION = ['edit_components', 'edit_users', 'create_groups', 'read_audit'];

const Header = ({ user, SignIn }) => html`
  <a class="home" href="./">Bugless</a>
  <form role="search" action="buglist.cgi">
    <input type="search" name="quicksearch" aria-label="Search bugs" placeholder="Number, words, or product:lens" defaultValue=${parameters.get('quicksearch')} />
    <button type="submit">Search</button>
  </form>
  <details open=${user?.problem !== undefined} onToggle=${({ target }) => target.open && showSignIn(user)}>
    <summary>${user?.real_name || user?.name || 'Sign in'}</summary>
    <div class="account">
      ${user?.problem && html`<p role="status">${user.problem}</p>`}
      ${SignIn && html`<${SignIn} />`}
      ${isSession() && html`<button type="button" onClick=${signOut}>Sign out</button>`}
      ${
        user?.name &&
        html`<p><a href="userprefs.cgi">Your preferences</a>, <a href="userprefs.cgi?tab=apikey">API keys</a></p>
        ${ADMINISTRATION.some((right) => user.rights[right]) && html`<p><a href="admin">Administration</a></p>`}`
      }
      ${!isSession() && html`<${KeyForm} />`}
    </div>
  </details>
  ${user?.name && html`<${SearchMenu} me=${user.name} />`}
  <a href="enter_bug.cgi">New bug</a>
  <a href="api">API</a>`;

/** The saved searches of the reader, read when they are looked at. */
class SearchMenu extends Component {
  load = async ({ target }) => {
    if (!target.open) return;
    const { searchMenu } = await import('./saved-searches.js');
    this.setState({
      content: await searchMenu(this.props.me).catch(({ message }) => html`<p role="status">${message}</p>`),
    });
  };

  render(_, { content = 'Loading …' }) {
    return html`<details onToggle=${this.load}><summary>Searches</summary><div class="account">${content}</div></details>`;
  }
}

function useKey(event) {
  event.preventDefault();
  changeKey(document.getElementById('api-key').value.trim(), document.getElementById('keep-key').checked);
}

function changeKey(key, isForDevice = false) {
  keepApiKey(key, isForDevice);
  location.reload();
}

/** Ends the session, on the server first; if that fails, on this device alone. */
async function signOut() {
  await send('DELETE', 'bugless/session').catch(({ status, message }) => {
    // 400 and 401: it has ended before.
    if (status === 400 || status === 401) return;
    sessionStorage.setItem(
      NOTICE,
      `You are signed out on this device, but the server did not confirm it. ${message}`,
    );
  });
  changeKey('');
}

/** What is said after the page was loaded again. */
const NOTICE = 'bugless-notice';

const header = document.querySelector('body > header');

/** Shows who reads, or why the key is not valid. */
async function showHeader() {
  const user = await reader().catch(({ message }) => ({ problem: message }));
  render(html`<${Header} user=${user} />`, header);
}

/** Shows the form for signing in by mail to a reader without a valid key, where there is one. */
async function showSignIn(user) {
  if (user?.name !== undefined) return;
  const { hasSignIn, SignInForm } = await import('./sign-in.js');
  const isOffered = await hasSignIn().catch(() => false);
  if (isOffered) render(html`<${Header} ...${{ user, SignIn: SignInForm }} />`, header);
}

/** How long a page may take until it says that it is loading, in ms. */
const LOADING_AFTER = 300;

let shown = 0;

/** What the server has written for readers without scripts is shown until the page is there. */
function show(content, main) {
  if (shown === 0) main.replaceChildren();
  shown += 1;
  render(content, main);
}

/** Shows the page of this address, read anew. */
async function showPage() {
  const main = document.querySelector('main');
  const isFirst = shown === 0;
  main.setAttribute('aria-busy', 'true');
  const loading = setTimeout(
    () => isFirst && show(html`<p role="status">Loading …</p>`, main),
    LOADING_AFTER,
  );
  const content = await contentOf(pageOf(location.pathname.split('/').at(-1)));
  clearTimeout(loading);
  // The key, because a page that is shown again begins anew.
  show(h(Fragment, { key: shown }, content), main);
  // The browser looked for the target before the page was there.
  if (location.hash !== '' && isFirst) location.replace(location.hash);
  main.removeAttribute('aria-busy');
}

const pageOf = (name) => (signInCode === undefined ? (PAGES[name] ?? homePage) : signInPage);

async function contentOf(load) {
  try {
    const page = await load();
    const { title, content } = await page(parameters);
    document.title = title;
    return content;
  } catch (problem) {
    document.title = `${problem.message} – Bugless`;
    return html`<${Problem} problem=${problem} />`;
  }
}

/** Codes of an invalid key, of a missing one, of a restricted bug, and of a path that the deployment leaves out. */
const [KEY_INVALID, LOGIN_REQUIRED, BUG_RESTRICTED, PATH_UNKNOWN] = [306, 410, 102, 32614];

const Problem = ({ problem: { message, code, isRepeatable } }) => html`
  <div role="alert">
    <h1>${message}</h1>
    <p>${adviceOf(code)}</p>
    ${isRepeatable && html`<button type="button" onClick=${showPage}>Try again</button>`}
  </div>`;

function adviceOf(code) {
  if (code === KEY_INVALID)
    return isSession() ? 'Sign in again above.' : 'Enter another key above, or forget this one.';
  if (code === PATH_UNKNOWN) return 'This deployment leaves out what this page reads.';
  const isHidden = code === BUG_RESTRICTED || code === LOGIN_REQUIRED;
  return isHidden && apiKey() === '' ? 'Perhaps when you are signed in: see above.' : '';
}

/** `/` goes to the search, but where something is being written. */
function goToSearch(event) {
  if (!isShortcut(event, '/')) return;
  event.preventDefault();
  document.querySelector('input[type="search"]')?.focus();
}

/** Shows the page again after a change, and says that it was saved. */
async function showSaved({ detail }) {
  await showPage();
  say(detail.text);
  (document.getElementById(detail.focus) ?? document.getElementById('notice')).focus({ preventScroll: true });
}

addEventListener('keydown', goToSearch);
addEventListener('hashchange', () => location.hash.startsWith('#sign-in=') && location.reload());
addEventListener('bugless-saved', showSaved);
// Back at a page that the browser has kept: its forms were sent, and its bugs have changed.
addEventListener('pageshow', ({ persisted }) => persisted && showPage());
onOtherTab(() => location.reload());
showHeader();
showPage();
say(sessionStorage.getItem(NOTICE) ?? '');
sessionStorage.removeItem(NOTICE);
