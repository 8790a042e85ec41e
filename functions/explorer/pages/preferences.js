import { Component } from 'preact';
import { hasKeys, html, say, Tabs, tellSaved } from './elements.js';
import { Check, Field, inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { apiKey, rest, restOnce, send } from './rest.js';

const PATH = 'bugless/preferences';
/** The code of an operation that needs a sign-in. */
const SIGN_IN_REQUIRED = 410;
const ROLES = [
  ['assigned_to', 'Assignee'],
  ['reporter', 'Reporter'],
  ['qa_contact', 'QA contact'],
  ['cc', 'On the CC list'],
  ['watched', 'Watching the person or component'],
];
const CHANGES = [
  ['new', 'New bugs'],
  ['comments', 'Comments'],
  ['status', 'Status and resolution'],
  ['cc', 'The CC list'],
  ['other', 'Everything else: fields, attachments, flags'],
];

const NAME = { name: 'real_name', label: 'Your name', kind: 'text' };
const PEOPLE = { name: 'watched_users', label: 'People whose mails I get, too', kind: 'people' };
const PRODUCT = { name: 'product', label: 'Product', kind: 'select' };
const COMPONENT = { name: 'component', label: 'Component (– for all)', kind: 'select' };

/** The parts of the preferences, by the name in the address. */
const TABS = [
  ['account', 'Account'],
  ['email', 'Mail'],
  ['watch', 'Watching'],
  ['saved-searches', 'Saved searches'],
  ['apikey', 'API keys'],
];
const OTHERS = {
  'saved-searches': async () => (await import('./saved-searches.js')).searchesTab,
  apikey: async () => (await import('./keys.js')).keysTab,
};

/** The products and components that the reader watches. `places`, `products` to choose from, `problems`, `onChange` */
class Places extends Component {
  state = { product: '', component: '', components: [] };

  choose = async (product) => {
    this.setState({ product, component: '', components: [] });
    const query = new URLSearchParams({ names: product, include_fields: 'components.name' });
    const { products } = await rest(`product?${query}`).catch(() => ({ products: [] }));
    const components = products.flatMap((one) => one.components.map(({ name }) => name));
    if (this.state.product === product) this.setState({ components });
  };

  render({ places, products, problems, onChange }, { product, component, components }) {
    const without = (name, part) => places.filter((one) => one.product !== name || one.component !== part);
    const add = () =>
      onChange([...without(product, component || null), { product, component: component || null }]);
    return html`<fieldset class="stack"><legend>Components that I watch</legend>
      <ul class="stack">${places.map(({ product: name, component: part }) => html`<li class="line"><span dir="auto">${name}: ${part ?? 'all components'}</span><button type="button" class="tiny quiet" aria-label=${`Take away ${name}: ${part ?? 'all components'}`} onClick=${() => onChange(without(name, part))}>Take away</button></li>`)}</ul>
      <div class="two"><${Field} field=${{ ...PRODUCT, options: ['', ...products] }} value=${product} problem=${problems.product} onChange=${this.choose} />
      <${Field} field=${{ ...COMPONENT, options: ['', ...components] }} value=${component} problem=${problems.component} onChange=${(value) => this.setState({ component: value })} /></div>
      <div class="line"><button type="button" disabled=${product === ''} onClick=${add}>Watch</button></div>
    </fieldset>`;
  }
}

const shown = (preferences) => ({ ...preferences, watched_users: preferences.watched_users.join(', ') });

/** A part of the preferences, which is saved alone. */
class Preferences extends Component {
  state = { ...shown(this.props.preferences), problems: {} };

  submit = async (event) => {
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    say('');
    const { problems: _, watched_users, ...others } = this.state;
    const logins = watched_users.split(',').map((login) => login.trim());
    try {
      const saved = await send('PUT', PATH, { ...others, watched_users: logins.filter(Boolean) });
      this.setState({ ...shown(saved), problems: {} });
      tellSaved('Your preferences are saved.');
    } catch (problem) {
      const values = { real_name: others.real_name, watched_users, component: '' };
      const field = fieldOfProblem(problem, values) ?? 'watched_users';
      this.setState({ problems: { [field]: problem.message } }, () =>
        document.getElementById(inputId(field))?.focus(),
      );
    }
    this.isSending = false;
  };

  account({ real_name, problems }) {
    const setKeys = ({ target }) => localStorage.setItem('bugless-keys', target.checked ? 'on' : 'off');
    return html`<${Field} field=${NAME} value=${real_name} problem=${problems.real_name} onChange=${(value) => this.setState({ real_name: value })} />
      <label class="check"><input type="checkbox" defaultChecked=${hasKeys()} onChange=${setKeys} /> Single keys (as <kbd>j</kbd>, <kbd>c</kbd>, <kbd>?</kbd>) do something on this device; it is kept at once</label>`;
  }

  email({ email_enabled, mail_off }) {
    const list = (name, all) =>
      all.map(([value, label]) => {
        const off = mail_off[name];
        const set = (isOn) =>
          this.setState({
            mail_off: { ...mail_off, [name]: isOn ? off.filter((one) => one !== value) : [...off, value] },
          });
        return html`<${Check} name=${`${name}-${value}`} label=${label} value=${!off.includes(value)} onChange=${set} />`;
      });
    return html`<${Check} name="email_enabled" label="Mail me about bugs" value=${email_enabled} onChange=${(value) => this.setState({ email_enabled: value })} />
      ${email_enabled && html`<p class="soft">A mail comes where both a role and a change are ticked.</p><div class="two"><fieldset><legend>When I am</legend>${list('roles', ROLES)}</fieldset><fieldset><legend>About</legend>${list('changes', CHANGES)}</fieldset></div>`}`;
  }

  watch({ watched_users, watched_components, problems }) {
    return html`<${Field} field=${PEOPLE} value=${watched_users} problem=${problems.watched_users} onChange=${(value) => this.setState({ watched_users: value })} />
      <${Places} ...${{ products: this.props.products, problems, places: watched_components }} onChange=${(places) => this.setState({ watched_components: places })} />`;
  }

  render({ tab }, state) {
    return html`<form class="form" aria-label="Your preferences" noValidate onSubmit=${this.submit}>
      ${this[tab](state)}
      <div class="actions"><button type="submit" class="primary">Save</button></div>
    </form>`;
  }
}

/** The preferences of the reader; of a link of a mail, what turns mails off: `code` is the user and the code of it. */
export async function preferencesPage(parameters, code) {
  if (code !== undefined) return { title: 'Mails – Bugless', content: html`<${Unsubscribe} code=${code} />` };
  if (apiKey() === '')
    throw Object.assign(new Error('Sign in to see your preferences.'), { code: SIGN_IN_REQUIRED });
  const [tab] = TABS.find(([name]) => name === parameters.get('tab')) ?? TABS[0];
  return {
    title: 'Preferences – Bugless',
    content: html`<div class="head"><h1>Preferences</h1></div>
      <${Tabs} label="Preferences" tabs=${TABS.map(([name, label]) => [label, `userprefs.cgi?tab=${name}`, name === tab])} />${await contentOf(tab)}`,
  };
}

async function contentOf(tab) {
  if (OTHERS[tab] !== undefined) return (await OTHERS[tab]())();
  const products =
    tab === 'watch' ? restOnce('product?type=accessible&include_fields=name') : { products: [] };
  const preferences = await rest(PATH);
  const names = (await products).products.map(({ name }) => name);
  return html`<${Preferences} key=${tab} tab=${tab} preferences=${preferences} products=${names} />`;
}

/** Asks before mails are turned off, because programs open links of mails, too. */
class Unsubscribe extends Component {
  state = { text: 'You get no mails about bugs any more, until you turn them on in your preferences.' };

  turnOff = async () => {
    const [user, code = ''] = this.props.code.split('.');
    const query = new URLSearchParams({ user, code });
    const text = await send('POST', `bugless/unsubscribe?${query}`).then(
      () => 'Mails are off. Turn them on again in your preferences.',
      ({ message }) => message,
    );
    this.setState({ text, isDone: true }, () => document.getElementById('unsubscribed').focus());
  };

  render(_, { text, isDone }) {
    return html`<div class="card stack"><h1>Turn off mails about bugs?</h1>
      <p id="unsubscribed" role="status" tabindex="-1">${text}</p>
      ${!isDone && html`<button type="button" class="primary" onClick=${this.turnOff}>Turn them off</button>`}
      <p><a href="userprefs.cgi?tab=email">Choose which mails you get</a></p></div>`;
  }
}
