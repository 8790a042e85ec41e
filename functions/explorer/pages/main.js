import { render } from 'preact';
import { bugPage } from './bug.js';
import { html } from './elements.js';
import { homePage, listPage } from './list.js';
import { apiKey, isKeptOnDevice, keepApiKey, onOtherTab, rest } from './rest.js';

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
      <label><input id="keep-key" type="checkbox" defaultChecked=${isKeptOnDevice()} /> Keep it on this device</label>
      <button type="submit">Use it</button>
      ${apiKey() !== '' && html`<button type="button" onClick=${() => changeKey('')}>Forget it</button>`}
      <p role="status">${user?.problem ?? 'Without a key you see what is public. A key is kept in this tab, unless you say otherwise.'}</p>
    </form>
  </details>
  <a href="api">API</a>`;

function useKey(event) {
  event.preventDefault();
  changeKey(document.getElementById('api-key').value.trim(), document.getElementById('keep-key').checked);
}

function changeKey(key, isForDevice = false) {
  keepApiKey(key, isForDevice);
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

/** `/` goes to the search, but where something is being written. */
function goToSearch(event) {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  document.querySelector('input[type="search"]')?.focus();
}

addEventListener('keydown', goToSearch);
onOtherTab(() => location.reload());
showHeader();
showPage();
