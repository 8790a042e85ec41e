import { Component } from 'preact';
import { html, When } from './elements.js';
import { keepApiKey, openAnew, reader, rest, send } from './rest.js';

const PATH = 'bugless/api_keys';
/** The code of an operation that needs a newer sign-in. */
const SIGN_IN_REQUIRED = 410;
/** That of a key or a session which is not valid any more. */
const SESSION_ENDED = 306;

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
      if (code === SESSION_ENDED) {
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

  revoke = ({ id, description, is_session }) => {
    if (
      confirm(
        `Revoke “${description || id}”? ${is_session ? 'Its browser is signed out.' : 'Programs that use it are refused.'}`,
      )
    )
      this.run(() => send('DELETE', `${PATH}/${id}`));
  };

  render(_, { keys, problem, made }) {
    const row = (key) => html`<tr key=${key.id}>
      <td>${key.description || '(no description)'}</td>
      <td class="wide">${key.created_at && html`<${When} at=${key.created_at} />`}</td>
      <td>${key.expires_at && html`<${When} at=${key.expires_at} />`}</td>
      <td class="wide"><code>${key.id}</code></td>
      <td>${key.revoked ? 'revoked' : html`<button type="button" class="plain small" aria-label=${`Revoke ${key.description || key.id}`} onClick=${() => this.revoke(key)}>Revoke</button>`}</td>
    </tr>`;
    return html`<div>
      <h1>Your API keys</h1>
      <p><a href="userprefs.cgi">Your preferences</a></p>
      <p>Programs use a key in your name: clients, scripts, dashboards. Give each its own, and revoke what is not used.</p>
      <div id="keys-state" role="status" tabindex="-1">
        ${problem}
        ${made && html`<p>The new key, which is not shown again: <code class="secret">${made.key}</code></p>`}
      </div>
      <form class="line" onSubmit=${this.create}>
        <label for="key-description">What the key is for</label>
        <input id="key-description" maxlength="255" />
        <button type="submit">Make a key</button>
      </form>
      <table><caption>Keys and sign-ins</caption>
        <thead><tr><th>Description</th><th class="wide">Made</th><th>Expires</th><th class="wide">Id</th><th>State</th></tr></thead>
        <tbody>${keys.map(row)}</tbody>
      </table>
    </div>`;
  }
}

/** The API keys and sessions of the reader. */
export async function keysPage() {
  if ((await reader()) === undefined) {
    throw Object.assign(new Error('Sign in to see your API keys.'), { code: SIGN_IN_REQUIRED });
  }
  const { api_keys } = await rest(PATH);
  return { title: 'API keys – Bugless', content: html`<${Keys} keys=${api_keys} />` };
}
