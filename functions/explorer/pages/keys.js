import { Component } from 'preact';
import { Confirm, copyText, html, Notice, Table, When } from './elements.js';
import { KEY_INVALID, keepApiKey, openAnew, rest, send } from './rest.js';

const PATH = 'bugless/api_keys';
/** The code of an operation that needs a newer sign-in. */
const SIGN_IN_REQUIRED = 410;

class Keys extends Component {
  state = { keys: this.props.keys, problem: '' };

  /** Runs what a button does, and reads the list again. */
  run = async (work) => {
    if (this.state.isSending) return;
    this.setState({ isSending: true, problem: '' });
    try {
      const made = await work();
      // Before the list is read: the key is not shown again.
      this.setState({ made: made.key === undefined ? undefined : made });
      this.setState({ keys: (await rest(PATH)).api_keys });
    } catch ({ message, code }) {
      // The session of this browser was revoked.
      if (code === KEY_INVALID) {
        keepApiKey('');
        openAnew('./');
      }
      const advice = code === SIGN_IN_REQUIRED ? ' Sign out above, and in again.' : '';
      this.setState({ problem: message + advice });
    }
    this.setState({ isSending: false }, () => document.getElementById('keys-state').focus());
  };

  create = (event) => {
    event.preventDefault();
    this.run(() => send('POST', PATH, { description: document.getElementById('key-description').value }));
  };

  render(_, { keys, problem, made }) {
    const revoke = ({ id, description, is_session }) =>
      html`<${Confirm} name="Revoke …" yes="Revoke it" of=${description || id} question=${is_session ? 'Its browser is signed out.' : 'Programs that use it are refused.'} onYes=${() => this.run(() => send('DELETE', `${PATH}/${id}`))} />`;
    const row = (key) => html`<tr key=${key.id} class=${key.revoked ? 'off' : ''}>
      <td dir="auto">${key.description || '(no description)'}</td>
      <td class="soft">${key.is_session ? 'sign-in' : 'key'}</td>
      <td class="soft">${key.created_at && html`<${When} at=${key.created_at} />`}</td>
      <td class="soft">${key.expires_at ? html`<${When} at=${key.expires_at} />` : 'never'}</td>
      <td class="soft"><code>${key.id}</code></td>
      <td>${key.revoked ? html`<span class="soft tiny">revoked</span>` : revoke(key)}</td>
    </tr>`;
    return html`<div class="stack">
      <p class="lead">Programs use a key in your name: clients, scripts, dashboards. Give each its own, and revoke what is not used.</p>
      <div id="keys-state" role="status" tabindex="-1">
        ${problem && html`<${Notice} kind="bad"><p>${problem}</p><//>`}
        ${made && html`<div class="notice info"><p><b>“${made.description}” is made.</b> Copy it now: it is not shown again.</p><code class="secret-key">${made.key}</code><button type="button" class="tiny" onClick=${() => copyText(made.key, 'The key')}>Copy</button></div>`}
      </div>
      <${Table} caption="Keys and sign-ins" heads=${['For', 'Kind', 'Made', 'Expires', 'Id', '']} rows=${keys.map(row)} />
      <form class="form group" aria-label="New key" onSubmit=${this.create}><h2>New key</h2>
        <div class="field"><label for="key-description">What the key is for</label><input id="key-description" maxlength="255" placeholder="script, machine" /></div>
        <div class="line"><button type="submit" class="primary">Make a key</button><a class="small" href="api">How programs use it</a></div>
      </form>
    </div>`;
  }
}

/** The API keys and sessions of the reader. */
export async function keysTab() {
  const { api_keys } = await rest(PATH);
  return html`<${Keys} keys=${api_keys} />`;
}
