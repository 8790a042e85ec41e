import { attempt, Confirm, copyText, html, Table, tellSaved, When } from './elements.js';
import { OperationForm, text } from './operation-form.js';
import { KEY_INVALID, keepApiKey, LOGIN_REQUIRED, openAnew, rest, send } from './rest.js';

const PATH = 'bugless/api_keys';
/** The key that was just made: it is shown once. */
let made;

/** Adds what helps to a problem. */
function advised(problem) {
  // The session of this browser was revoked.
  if (problem.code === KEY_INVALID) {
    keepApiKey('');
    openAnew('./');
  }
  if (problem.code === LOGIN_REQUIRED) problem.message += ' Sign out above, and in again.';
  throw problem;
}

const create = async (body) => {
  made = await send('POST', PATH, body).catch(advised);
};
const revoke = ({ id }) =>
  attempt(send('DELETE', `${PATH}/${id}`).then(() => tellSaved('It is revoked.'), advised));

const row = (key) => html`<tr key=${key.id} class=${key.revoked ? 'off' : ''}>
  <td dir="auto">${key.description || '(no description)'}</td>
  <td class="soft">${key.is_session ? 'sign-in' : 'key'}</td>
  <td class="soft">${key.created_at && html`<${When} at=${key.created_at} />`}</td>
  <td class="soft">${key.expires_at ? html`<${When} at=${key.expires_at} />` : 'never'}</td>
  <td class="soft"><code>${key.id}</code></td>
  <td>${key.revoked ? html`<span class="soft tiny">revoked</span>` : html`<${Confirm} name="Revoke …" yes="Revoke it" of=${key.description || key.id} question=${key.is_session ? 'Its browser is signed out.' : 'Programs that use it are refused.'} onYes=${() => revoke(key)} />`}</td>
</tr>`;

/** The API keys and sessions of the reader. */
export async function keysTab() {
  const { api_keys } = await rest(PATH);
  const shown = made;
  made = undefined;
  return html`<div class="stack">
    <p class="lead">Programs use a key in your name: clients, scripts, dashboards (<a href="api">how</a>). Give each its own, and revoke what is not used.</p>
    ${shown && html`<div class="notice info" id="made" tabindex="-1"><p><b>“${shown.description}” is made.</b> Copy it now: it is not shown again.</p><code class="secret-key">${shown.key}</code><button type="button" class="tiny" onClick=${() => copyText(shown.key, 'The key')}>Copy</button></div>`}
    <${Table} caption="Keys and sign-ins" heads=${['For', 'Kind', 'Made', 'Expires', 'Id', '']} rows=${api_keys.map(row)} />
    <section><h2>New key</h2><${OperationForm} ...${{ name: 'key', label: 'New key', fields: [text('description', 'What the key is for', { hint: 'As: script, machine' })], isNew: true, submit: 'Make a key', send: create, done: 'The key is made.', focus: 'made', problemAt: 'description' }} /></section>
  </div>`;
}
