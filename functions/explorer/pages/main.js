import { render } from 'preact';
import { bugPage } from './bug.js';
import { html } from './elements.js';
import { homePage, listPage } from './list.js';
import { apiKey, keepApiKey, rest } from './rest.js';

const PAGES = { 'show_bug.cgi': bugPage, 'buglist.cgi': listPage };
const parameters = new URLSearchParams(location.search.replaceAll(';', '&'));

const Header = ({ user }) => html`
  <a class="home" href="./">Bugless</a>
  <form role="search" action="buglist.cgi">
    <input type="search" name="quicksearch" aria-label="Search bugs" placeholder="Number, words, or product:lens" defaultValue=${parameters.get('quicksearch')} />
    <button type="submit">Search</button>
  </form>
  <details open=${user?.problem !== undefined}>
    <summary>${user?.real_name || user?.name || 'Anonymous'}</summary>
    <form onSubmit=${useKey}>
      <label for="api-key">API key</label>
      <input id="api-key" type="password" autocomplete="off" spellcheck=${false} />
      <button type="submit">Use it</button>
      ${apiKey() !== '' && html`<button type="button" onClick=${() => changeKey('')}>Forget it</button>`}
      <p role="status">${user?.problem ?? 'Kept in this tab only. Without a key you see what is public.'}</p>
    </form>
  </details>
  <a href="api">API</a>`;

function useKey(event) {
  event.preventDefault();
  changeKey(document.getElementById('api-key').value.trim());
}

function changeKey(key) {
  keepApiKey(key);
  location.reload();
}

/** Shows who reads, or why the key is not valid. */
async function showHeader() {
  const user =
    apiKey() === '' ? undefined : await rest('whoami').catch(({ message }) => ({ problem: message }));
  render(html`<${Header} user=${user} />`, document.querySelector('body > header'));
}

/** Shows the page of this address. */
async function showPage() {
  const main = document.querySelector('main');
  const page = PAGES[location.pathname.split('/').at(-1)] ?? homePage;
  try {
    const { title, content } = await page(parameters);
    document.title = title;
    render(content, main);
    // The browser looked for the target before the page was there.
    if (location.hash !== '') location.replace(location.hash);
  } catch ({ message, code }) {
    const advice =
      apiKey() === '' && (code === 102 || code === 410) ? 'Perhaps with an API key: enter yours above.' : '';
    render(html`<div role="alert"><h1>${message}</h1><p>${advice}</p></div>`, main);
  }
  main.removeAttribute('aria-busy');
}

showHeader();
showPage();
