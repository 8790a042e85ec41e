import { render } from 'preact';
import { bugPage } from './bug.js';
import { html } from './elements.js';
import { homePage, listPage } from './list.js';
import { apiKey, keepApiKey, rest } from './rest.js';

const PAGES = { 'show_bug.cgi': bugPage, 'buglist.cgi': listPage };
const parameters = new URLSearchParams(location.search.replaceAll(';', '&'));

const Header = ({ user, problem }) => html`
  <a class="home" href="./">Bugless</a>
  <form role="search" action="buglist.cgi">
    <input type="search" name="quicksearch" aria-label="Search bugs" placeholder="Number, words, or product:lens" defaultValue=${parameters.get('quicksearch')} />
    <button type="submit">Search</button>
  </form>
  <details open=${problem !== undefined}>
    <summary>${user ? user.real_name || user.name : 'Anonymous'}</summary>
    <form onSubmit=${useKey}>
      <label for="api-key">API key</label>
      <input id="api-key" type="password" autocomplete="off" spellcheck=${false} />
      <button type="submit">Use it</button>
      ${apiKey() !== '' && html`<button type="button" onClick=${() => changeKey('')}>Forget it</button>`}
      <p role="status">${problem ?? 'Kept in this tab only. Without a key you see what is public.'}</p>
    </form>
  </details>
  <a href="api">API</a>`;

function useKey(event) {
  event.preventDefault();
  changeKey(document.getElementById('api-key').value.trim());
}

function changeKey(key) {
  keepApiKey(key);
  show();
}

/** Shows who reads, and the page of this address. */
async function show() {
  const [header, main] = ['header', 'main'].map((name) => document.querySelector(`body > ${name}`));
  const showHeader = (user, problem) => render(html`<${Header} ...${{ user, problem }} />`, header);
  const caller = apiKey() === '' ? Promise.resolve() : rest('whoami');
  caller.then(showHeader, ({ message }) => showHeader(undefined, message));
  main.setAttribute('aria-busy', 'true');
  const page = PAGES[location.pathname.split('/').at(-1)] ?? homePage;
  try {
    const { title, content } = (await page(parameters)) ?? {};
    document.title = title;
    render(content, main);
    // The browser looked for the target before the page was there.
    if (location.hash !== '') location.replace(location.hash);
  } catch ({ message, code }) {
    const advice =
      apiKey() === '' && (code === 102 || code === 410) ? ' Perhaps with an API key: enter yours above.' : '';
    render(html`<div role="alert"><h1>${message}</h1><p>${advice}</p></div>`, main);
  }
  main.removeAttribute('aria-busy');
}

show();
