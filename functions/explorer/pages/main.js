import { Fragment, h, render } from 'preact';
import { Face, hasKeys, html, Icon, isShortcut, Lazy, Menu, say } from './elements.js';
import {
  apiKey,
  isSession,
  KEY_INVALID,
  keepApiKey,
  LOGIN_REQUIRED,
  onOtherTab,
  reader,
  send,
} from './rest.js';

/** The code in the link of a mail; removed from the address before anything is read. */
const signInCode = /^#sign-in=([\w.]+)$/.exec(location.hash)?.[1];
/** The user and the code in the link that turns mails off. */
const unsubscribeCode = /^#unsubscribe=([\w.-]+)$/.exec(location.hash)?.[1];
if ((signInCode ?? unsubscribeCode) !== undefined)
  history.replaceState(null, '', location.pathname + location.search);

/** The script of the page, the first that the document names: it exports its `page`. */
const SCRIPT =
  signInCode === undefined
    ? /([\w-]+)\.js/.exec(document.querySelector('[rel="modulepreload"]').href)[1]
    : 'sign-in';
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
const readParameters = () =>
  new URLSearchParams(location.search.replaceAll(';', '&').replaceAll(/[^?&=]+/g, asUtf8));

/** The rights of which each gives a part of administration. */
const ADMINISTRATION = ['edit_components', 'edit_users', 'create_groups', 'read_audit'];

const Header = ({ user }) => html`
  <a class="brand" href="./"><${Icon} name="bug" /><span class="name">Bugless</span><span class="sr">: start page</span></a>
  <search class="find"><form action="buglist.cgi"><${Icon} name="search" /><input type="search" name="quicksearch" aria-label="Search bugs" placeholder="Number or words" defaultValue=${readParameters().get('quicksearch')} />${hasKeys() && html`<kbd aria-hidden="true">/</kbd>`}</form></search>
  ${
    user?.name
      ? html`<a class="desk" href="buglist.cgi?quicksearch=me">My bugs</a>
      <${Menu} name="Searches" kind="" side="right" className="desk"><${Lazy} from=${() => import('./saved-searches.js')} part="SearchMenu" me=${user.name} /><//>
      <a class="button tiny" href="enter_bug.cgi"><${Icon} name="plus" /><span class="name">New bug</span></a>
      <${Menu} kind="" side="right" hasArrow=${false} name=${html`<${Face} login=${user.name} names=${{ [user.name]: user.real_name }} /><span class="name" dir="auto">${user.real_name || user.name}</span>`}><ul>
          <li><a href="request.cgi">Requests</a></li>
          <li><a href="userprefs.cgi">Preferences</a></li>
          <li><a href="userprefs.cgi?tab=apikey">API keys</a></li>
          ${ADMINISTRATION.some((right) => user.rights[right]) && html`<li><a href="admin">Administration</a></li>`}
          <li><a href="page.cgi?id=quicksearch.html">Help and keys <kbd class="count">?</kbd></a></li>
          <li><a href="api">API</a></li>
        </ul><hr /><button class="item quiet" type="button" onClick=${signOut}>Sign out</button><//>`
      : html`<a class="desk" href="enter_bug.cgi">New bug</a>
      <${Menu} kind="button tiny" side="right" name="Sign in" hasArrow=${false}><${Lazy} from=${() => import('./sign-in.js')} part="SignIn" name="top" /><//>`
  }`;

/** Ends the session, on the server first; if that fails, on this device alone. */
async function signOut() {
  if (isSession())
    await send('DELETE', 'bugless/session').catch(({ status, message }) => {
      // 400 and 401: it has ended before.
      if (status === 400 || status === 401) return;
      sessionStorage.setItem(
        NOTICE,
        `You are signed out on this device, but the server did not confirm it. ${message}`,
      );
    });
  keepApiKey('');
  location.reload();
}

/** What is said after the page was loaded again. */
const NOTICE = 'bugless-notice';

const header = document.querySelector('body > header');

/** Shows who reads; nobody, where the session has ended. */
async function showHeader({ detail } = {}) {
  const user = detail?.hasEnded ? undefined : await reader().catch(() => undefined);
  if (header.firstElementChild?.dataset.own === undefined) header.replaceChildren();
  render(html`<${Header} user=${user} />`, header);
  header.firstElementChild.dataset.own = '';
}

/** How long a page may take until it is drawn without its content, in ms. */
const LOADING_AFTER = 100;

const bone = (size) => html`<span class=${`bone ${size}`}></span>`;
/** What a page looks like before it is there. */
const Bones = ({ name }) => {
  const row = html`<div class="row"><dt>${bone('')}</dt><dd>${bone('w2')}</dd></div>`;
  const rows = Array.from({ length: 8 }, () => row);
  const entry = html`<div class="entry"><span class="face"></span><div><header>${bone('w2')}</header><div class="prose">${bone('full')}${bone('full')}${bone('w4')}</div></div></div>`;
  return html`<p class="sr" role="status">Loading …</p>
    <div class="head"><h1>${bone('w3')}</h1>${bone('')}</div>
    ${
      name === 'show_bug.cgi'
        ? html`<div class="bug" aria-hidden="true"><div class="timeline">${entry}${entry}</div><div class="fields"><dl>${rows}</dl></div></div>`
        : html`<table class="bugs" aria-hidden="true"><tbody>${rows.map(() => html`<tr><td class="id">${bone('')}</td><td class="summary">${bone('w4')}</td><td class="status">${bone('')}</td><td class="changed">${bone('')}</td></tr>`)}</tbody></table>`
    }`;
};

let shown = 0;
let shownAddress = '';

/** What the server has written for readers without scripts is shown until the page is there. */
function show(content, main) {
  if (shown === 0) main.replaceChildren();
  shown += 1;
  render(content, main);
}

/** Says that it is loading; what the server has written of a bug stays meanwhile. */
function showLoading(name, main) {
  if (main.querySelector('h1') === null) return show(html`<${Bones} name=${name} />`, main);
  const text = { className: 'sr', role: 'status', textContent: 'Loading …' };
  return main.prepend(Object.assign(document.createElement('p'), text));
}

/** Shows the page of this address, read anew. */
async function showPage() {
  const main = document.querySelector('main');
  const isFirst = shown === 0;
  const name = location.pathname.split('/').at(-1);
  const address = location.pathname + location.search;
  shownAddress = address;
  main.setAttribute('aria-busy', 'true');
  const loading = setTimeout(() => isFirst && showLoading(name, main), LOADING_AFTER);
  const { content, later } = await contentOf();
  // What it did not take is not for later.
  globalThis.started?.clear();
  clearTimeout(loading);
  // Another page was asked for meanwhile.
  if (address !== shownAddress) return;
  // The key, because a page that is shown again begins anew.
  show(h(Fragment, { key: shown }, content), main);
  // The browser looked for the target, and for the place in the page, before the page was there.
  if (location.hash !== '' && isFirst) location.replace(location.hash);
  else if (isFirst && history.state?.scroll > 0) scrollTo(0, history.state.scroll);
  await later;
  if (address === shownAddress) main.removeAttribute('aria-busy');
}

async function contentOf() {
  try {
    const { page } = await import(`./${SCRIPT}.js`);
    const { title, ...shownPage } = await page(readParameters(), signInCode ?? unsubscribeCode);
    document.title = title;
    return shownPage;
  } catch (problem) {
    const { code, status } = problem;
    const id = readParameters().get('id');
    if (code === NOT_PUBLIC && id !== null) problem.message = `Bug ${id} is not public.`;
    document.title = `${problem.message} – Bugless`;
    const needsSignIn = [KEY_INVALID, LOGIN_REQUIRED].includes(code) || (status === 401 && apiKey() === '');
    const SignIn = needsSignIn ? (await import('./sign-in.js').catch(() => ({}))).SignIn : undefined;
    return { content: html`<${Problem} ...${{ problem, SignIn }} />` };
  }
}

/** Codes of a bug that not everybody sees, and of a path that the deployment leaves out. */
const [NOT_PUBLIC, PATH_UNKNOWN] = [102, 32614];

const ADVICE = {
  [PATH_UNKNOWN]: 'This deployment leaves out what this page reads.',
  [NOT_PUBLIC]: 'Who reported it, or has access to it, can add you to its CC.',
  101: 'Perhaps a digit is wrong, or the bug stands in another Bugzilla.',
};

const Problem = ({ problem: { message, code, status, isRepeatable }, SignIn }) => {
  const ways = html`<ul class="line ways"><li><a href="./">${apiKey() === '' ? 'Start page' : 'Your bugs'}</a></li><li><a href="buglist.cgi?bug_status=__open__&order=changeddate%20DESC">What changed last</a></li><li><button type="button" class="tiny" onClick=${() => history.back()}>Back</button></li></ul>`;
  if (SignIn !== undefined)
    return html`<div class="card stack"><div role="alert"><h1>${message}</h1></div>
      <p class="soft">${code === KEY_INVALID ? 'Sign in again, or use another key.' : 'Sign in to see whether you have access.'} You return to this page then.</p><${SignIn} name="page" />${ways}</div>`;
  const advice = ADVICE[code] ?? '';
  return html`<div class="empty">
    <div role="alert" class="stack">${status && html`<p class="soft">${status}</p>`}<h1>${message}</h1><p class="lead">${advice}${isRepeatable && 'Nothing that you wrote is lost: drafts are kept in this tab.'}</p></div>
    ${
      isRepeatable
        ? html`<button type="button" class="primary" onClick=${showPage}>Try again</button>`
        : html`<form role="search" class="line" action="buglist.cgi"><input class="big" type="search" name="quicksearch" aria-label="Number or words" defaultValue=${readParameters().get('id')} /><button type="submit" class="primary">Search</button></form>`
    }
    ${ways}
  </div>`;
};

/** The addresses to which `g` and another key lead. */
const WAYS = {
  h: () => './',
  l: () => JSON.parse(sessionStorage.getItem('bugless list') ?? '{}').address ?? 'buglist.cgi?quicksearch=me',
  m: () => 'buglist.cgi?quicksearch=me',
};
let isGoing = false;

/** Single keys that work on every page. */
function useKey(event) {
  const wasGoing = isGoing;
  isGoing = isShortcut(event, 'g');
  const key = event.key;
  if (key === 'Escape') closeMenus(event);
  if (!isShortcut(event, key) || event.target.closest('dialog') !== null) return;
  if (wasGoing && WAYS[key]) location.assign(WAYS[key]());
  else if (key === '/') document.querySelector('input[type="search"]')?.focus();
  else if (key === '?') import('./help.js').then(({ showKeys }) => showKeys());
  else if (key === 'n' && !event.defaultPrevented)
    location.assign(document.querySelector('[data-new-bug]')?.dataset.newBug ?? 'enter_bug.cgi');
  else return;
  event.preventDefault();
}

/** Closes menus that are open, but those in which it happened; by Escape the focus goes back to what opened them. */
function closeMenus(event) {
  const { type, target } = event;
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    // What was clicked may have been replaced by its answer.
    if (type === 'click' && (menu.contains(target) || !target.isConnected)) continue;
    menu.open = false;
    if (type === 'keydown') event.preventDefault();
    if (type === 'keydown' && menu.contains(target)) menu.querySelector('summary').focus();
  }
}

/** Shows the page again after a change, and says that it was saved. */
async function showSaved({ detail }) {
  await showPage();
  say(detail.text, detail.undo);
  (document.getElementById(detail.focus) ?? document.getElementById('notice')).focus({ preventScroll: true });
}

addEventListener('keydown', useKey);
addEventListener('click', closeMenus);
addEventListener('hashchange', () => location.hash.startsWith('#sign-in=') && location.reload());
addEventListener('bugless-saved', showSaved);
addEventListener('bugless-signed', showHeader);
addEventListener('bugless-ended', ({ detail }) => {
  detail.signed = import('./sign-in.js').then(({ signInAgain }) => signInAgain(detail.login));
});
addEventListener('bugless-open', ({ detail }) => {
  history.pushState(null, '', detail);
  scrollTo(0, 0);
  showPage();
});
addEventListener('popstate', () => location.pathname + location.search !== shownAddress && showPage());
addEventListener('pagehide', () => history.replaceState({ ...history.state, scroll: scrollY }, ''));
// Back at a page that the browser has kept: its forms were sent, and its bugs have changed.
addEventListener('pageshow', ({ persisted }) => persisted && showPage());
onOtherTab(() => {
  // What is being written stays; whoever waits for a sign-in goes on.
  const isKept = !dispatchEvent(new CustomEvent('bugless-key', { cancelable: true }));
  if (!isKept) location.reload();
});
showHeader();
showPage();
say(sessionStorage.getItem(NOTICE) ?? '');
sessionStorage.removeItem(NOTICE);
