import { Component } from 'preact';
import { html, say, tellSaved } from './elements.js';
import { Check, Field, inputId } from './inputs.js';
import { fieldOfProblem } from './problems.js';
import { reader, rest, send } from './rest.js';

const PATH = 'bugless/preferences';
/** The code of an operation that needs a sign-in. */
const SIGN_IN_REQUIRED = 410;
const ROLES = [
  ['reporter', 'that I have reported'],
  ['assigned_to', 'that are assigned to me'],
  ['qa_contact', 'of which I am the QA contact'],
  ['cc', 'of which I am on the CC list'],
  ['watched', 'of people and components that I watch'],
];
const CHANGES = [
  ['new', 'New bugs'],
  ['comments', 'Comments'],
  ['status', 'Status and resolution'],
  ['cc', 'The CC list'],
  ['other', 'Everything else: fields, attachments, flags'],
];

const PEOPLE = { name: 'watched_users', label: 'People whose mails I get, too', kind: 'people' };
const PRODUCT = { name: 'product', label: 'Product', kind: 'select' };
const COMPONENT = { name: 'component', label: 'Component (– for all)', kind: 'select' };

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
    return html`<fieldset><legend>Components that I watch</legend>
      <ul>${places.map(({ product: name, component: part }) => html`<li>${name}: ${part ?? 'all components'} <button type="button" class="plain small" aria-label=${`Do not watch ${name}: ${part ?? 'all components'}`} onClick=${() => onChange(without(name, part))}>×</button></li>`)}</ul>
      <div class="grid"><${Field} field=${{ ...PRODUCT, options: ['', ...products] }} value=${product} problem=${problems.product} onChange=${this.choose} />
      <${Field} field=${{ ...COMPONENT, options: ['', ...components] }} value=${component} problem=${problems.component} onChange=${(value) => this.setState({ component: value })} /></div>
      <div class="buttons"><button type="button" class="plain" disabled=${product === ''} onClick=${add}>Watch</button></div>
    </fieldset>`;
  }
}

const shown = (preferences) => ({ ...preferences, watched_users: preferences.watched_users.join(', ') });

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
        document.getElementById(inputId(field)).focus(),
      );
    }
    this.isSending = false;
  };

  render({ products }, { real_name, email_enabled, mail_off, watched_users, watched_components, problems }) {
    const list = (name, all) =>
      all.map(([value, label]) => {
        const off = mail_off[name];
        const set = (isOn) =>
          this.setState({
            mail_off: { ...mail_off, [name]: isOn ? off.filter((one) => one !== value) : [...off, value] },
          });
        return html`<${Check} name=${`${name}-${value}`} label=${label} value=${!off.includes(value)} onChange=${set} />`;
      });
    return html`<form class="edit" aria-label="Your preferences" onSubmit=${this.submit}>
      <${Field} field=${{ name: 'real_name', label: 'Your name', kind: 'text' }} value=${real_name} problem=${problems.real_name} onChange=${(value) => this.setState({ real_name: value })} />
      <${Check} name="email_enabled" label="Mail me about bugs" value=${email_enabled} onChange=${(value) => this.setState({ email_enabled: value })} />
      ${email_enabled && html`<div class="grid lists"><fieldset><legend>Of the bugs</legend>${list('roles', ROLES)}</fieldset><fieldset><legend>About</legend>${list('changes', CHANGES)}</fieldset></div>`}
      <${Field} field=${PEOPLE} value=${watched_users} problem=${problems.watched_users} onChange=${(value) => this.setState({ watched_users: value })} />
      <${Places} ...${{ products, problems, places: watched_components }} onChange=${(places) => this.setState({ watched_components: places })} />
      <div class="buttons"><button type="submit">Save</button></div>
    </form>`;
  }
}

/** The preferences of the reader; of a link of a mail, what turns mails off: `code` is the user and the code of it. */
export async function preferencesPage(code) {
  if (code !== undefined) return { title: 'Mails – Bugless', content: html`<${Unsubscribe} code=${code} />` };
  if ((await reader()) === undefined) {
    throw Object.assign(new Error('Sign in to see your preferences.'), { code: SIGN_IN_REQUIRED });
  }
  const [preferences, { products }] = await Promise.all([
    rest(PATH),
    rest('product?type=accessible&include_fields=name'),
  ]);
  const names = products.map(({ name }) => name);
  return {
    title: 'Preferences – Bugless',
    content: html`<h1>Your preferences</h1><p><a href="userprefs.cgi?tab=apikey">Your API keys</a></p><${Preferences} preferences=${preferences} products=${names} />`,
  };
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
    return html`<h1>Turn off mails about bugs?</h1>
      <p id="unsubscribed" role="status" tabindex="-1">${text}</p>
      ${!isDone && html`<div class="buttons"><button type="button" onClick=${this.turnOff}>Turn them off</button></div>`}
      <p><a href="userprefs.cgi">Choose which mails you get</a></p>`;
  }
}
