import { Component } from 'preact';
import { focusOn, hasKeys, html, isTyped, names, Tabs } from './elements.js';
import { Options } from './inputs.js';
import { tableOf } from './labels.js';
import { box, OperationForm, text } from './operation-form.js';
import { requireKey, rest, restOnce, send } from './rest.js';

const PATH = 'bugless/preferences';
const ROLES = Object.entries(
  tableOf(
    'assigned_to Assignee, reporter Reporter, qa_contact QA contact, cc On the CC list, watched Watching',
  ),
);
const CHANGES = [
  ['new', 'New bugs'],
  ['comments', 'Comments'],
  ['status', 'Status and resolution'],
  ['cc', 'The CC list'],
  ['other', 'Everything else: fields, attachments, flags'],
];

const FIELDS = {
  account: [text('real_name', 'Your name')],
  email: [
    box('email_enabled', 'Mail me about bugs, where both a role and a change are ticked'),
    { name: 'roles', label: 'When I am', kind: 'checks', options: ROLES },
    { name: 'changes', label: 'About', kind: 'checks', options: CHANGES },
  ],
  watch: [{ name: 'watched_users', label: 'People whose mails I get, too', kind: 'people' }],
};
/** What is kept on this device: its name, whether it is on, what it does. */
const SWITCHES = [
  ['bugless-keys', hasKeys, html`Single keys (as <kbd>j</kbd>, <kbd>c</kbd>, <kbd>?</kbd>) do something`],
  ['bugless-typed', isTyped, 'Comments are shown as they were typed, in a fixed font'],
];

/** The parts of the preferences, by the name in the address. */
const TABS = Object.entries(
  tableOf('account Account, email Mail, watch Watching, saved-searches Saved searches, apikey API keys'),
);
const OTHERS = {
  'saved-searches': async () => (await import('./saved-searches.js')).searchesTab,
  apikey: async () => (await import('./keys.js')).keysTab,
};

/** What a product, or a component of it, is called that can be watched. */
const nameOf = ({ product, component }) => `${product}: ${component ?? 'all components'}`;

const without = (all, some) => all.map(([name]) => name).filter((name) => !some.includes(name));

/** A part of the preferences, which is saved alone. */
class Preferences extends Component {
  state = { places: this.props.preferences.watched_components };

  send = ({ roles, changes, watched_users, ...body }) => {
    const { preferences } = this.props;
    const mail_off = {
      ...preferences.mail_off,
      ...(roles && { roles: without(ROLES, roles) }),
      ...(changes && { changes: without(CHANGES, changes) }),
    };
    return send('PUT', PATH, {
      ...{ ...body, mail_off, watched_components: this.state.places },
      ...(watched_users !== undefined && { watched_users: names(watched_users) }),
    });
  };

  render({ tab, preferences, products }, { places }) {
    const { mail_off } = preferences;
    const all = products.flatMap(({ name, components }) =>
      [null, ...components.map((one) => one.name)].map((component) => ({ product: name, component })),
    );
    // What is watched stays, also where it is not shown to the reader any more.
    const known = new Map([...preferences.watched_components, ...all].map((place) => [nameOf(place), place]));
    const values = {
      ...preferences,
      watched_users: preferences.watched_users.join(', '),
      roles: without(ROLES, mail_off.roles),
      changes: without(CHANGES, mail_off.changes),
    };
    const about = { label: 'Your preferences', values, fields: FIELDS[tab], problemAt: FIELDS[tab][0].name };
    return html`<${OperationForm} ...${about} send=${this.send} done="Your preferences are saved.">
      ${tab === 'account' && html`<fieldset class="stack"><legend>On this device, kept at once</legend>${SWITCHES.map(([name, isOn, text]) => html`<label class="check"><input type="checkbox" defaultChecked=${isOn()} onChange=${({ target }) => localStorage.setItem(name, target.checked ? 'on' : 'off')} /> <span>${text}</span></label>`)}</fieldset>`}
      ${tab === 'watch' && html`<${Options} name="places" label="Components that I watch" options=${[...known.keys()].map((one) => [one])} chosen=${places.map(nameOf)} onChange=${(next) => this.setState({ places: next.map((one) => known.get(one)) })} />`}<//>`;
  }
}

/** The preferences of the reader; of a link of a mail, what turns mails off: `code` is the user and the code of it. */
export async function page(parameters, code) {
  if (code !== undefined) return { title: 'Mails – Bugless', content: html`<${Unsubscribe} code=${code} />` };
  requireKey('see your preferences');
  const [tab] = TABS.find(([name]) => name === parameters.get('tab')) ?? TABS[0];
  return {
    title: 'Preferences – Bugless',
    content: html`<div class="head"><h1>Preferences</h1></div>
      <${Tabs} label="Preferences" tabs=${TABS.map(([name, label]) => [label, `userprefs.cgi?tab=${name}`, name === tab])} />${await contentOf(tab)}`,
  };
}

async function contentOf(tab) {
  if (OTHERS[tab] !== undefined) return (await OTHERS[tab]())();
  const reading = tab === 'watch' && restOnce('product?type=accessible&include_fields=name,components.name');
  const [preferences, { products = [] }] = await Promise.all([rest(PATH), reading]);
  return html`<${Preferences} key=${tab} ...${{ tab, preferences, products }} />`;
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
    this.setState({ text, isDone: true }, () => focusOn('unsubscribed'));
  };

  render(_, { text, isDone }) {
    return html`<div class="card stack"><h1>Turn off mails about bugs?</h1>
      <p id="unsubscribed" role="status" tabindex="-1">${text}</p>
      ${!isDone && html`<button type="button" class="primary" onClick=${this.turnOff}>Turn them off</button>`}
      <p><a href="userprefs.cgi?tab=email">Choose which mails you get</a></p></div>`;
  }
}
