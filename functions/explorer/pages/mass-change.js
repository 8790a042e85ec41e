import { Component } from 'preact';
import { names, readValues } from './bug-fields.js';
import { html, tellSaved } from './elements.js';
import { Check, Field, inputId } from './inputs.js';
import { send } from './rest.js';

/** Bugs that one request changes at most. */
const MAX_IDS = 50;
const text = (name, label, kind = 'text') => ({ name, label, kind });
const FIELDS = [
  text('assigned_to', 'Assignee', 'person'),
  text('target_milestone', 'Target milestone'),
  text('keywords', 'Add keywords'),
  text('cc', 'Add to CC', 'people'),
];
const COMMENT = { name: 'comment', label: 'Comment', kind: 'long', rows: 3 };

/**
 * A form that changes many bugs: `ids`. What the interface refuses of a bug is said of that bug, and the others are changed.
 *
 * `user` as whoami tells, `onFailed`: is called with the ids that are left, `onClose`
 */
export class MassChange extends Component {
  state = { values: {}, failed: [] };

  async componentDidMount() {
    const values = await readValues().catch(() => new Map());
    this.setState({ choices: values });
    document.getElementById(inputId('state'))?.focus();
  }

  /** The states as one choice: closed ones with each resolution. */
  states() {
    const of = (name) =>
      (this.state.choices?.get(name) ?? []).filter((one) => one.name && one.is_active !== false);
    const resolutions = of('resolution').filter(({ name }) => name !== 'DUPLICATE');
    return new Map(
      of('bug_status').flatMap(({ name: status, is_open }) =>
        is_open
          ? [[status, { status }]]
          : resolutions.map(({ name }) => [`${status} ${name}`, { status, resolution: name }]),
      ),
    );
  }

  body() {
    const { state, assigned_to, target_milestone, keywords, cc, comment, isPrivate } = this.state.values;
    return {
      ...(state ? this.states().get(state) : {}),
      ...(assigned_to && { assigned_to }),
      ...(target_milestone && { target_milestone }),
      ...(keywords && { keywords: { add: names(keywords) } }),
      ...(cc && { cc: { add: names(cc) } }),
      ...(comment?.trim() && { comment: { body: comment, is_private: isPrivate === true } }),
    };
  }

  submit = async (event) => {
    event.preventDefault();
    const body = this.body();
    if (this.isSending || Object.keys(body).length === 0) return;
    this.isSending = true;
    this.setState({ isSending: true, failed: [] });
    const { ids } = this.props;
    const failed = [];
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      failed.push(...(await change(ids.slice(start, start + MAX_IDS), body)));
    }
    const saved = ids.length - failed.length;
    const done = `${saved} of ${ids.length} bugs changed.`;
    if (failed.length === 0) tellSaved(done);
    else {
      this.isSending = false;
      this.setState({ isSending: false, failed, done }, () =>
        document.getElementById('not-changed')?.focus(),
      );
      this.props.onFailed(failed.map(({ id }) => id));
    }
  };

  render({ ids, user, onClose }, { values, failed, done, isSending }) {
    const set = (name, value) => this.setState({ values: { ...values, [name]: value } });
    const field = (one) =>
      html`<${Field} key=${one.name} field=${one} value=${values[one.name] ?? ''} onChange=${(value) => set(one.name, value)} />`;
    const listed = (some, title) =>
      some.length > 0 &&
      html`<p>${title}</p><ul>${some.map(({ id, message }) => html`<li>Bug ${id}: ${message}</li>`)}</ul>`;
    const state = { ...text('state', 'Status', 'select'), options: ['', ...this.states().keys()] };
    return html`<form class="edit" aria-label="Change the selected bugs" onSubmit=${this.submit}>
      ${
        failed.length > 0 &&
        html`<div role="alert" id="not-changed" tabindex="-1"><p>${done}</p>
          ${listed(
            failed.filter(({ isUnknown }) => !isUnknown),
            'These are as they were, and stay selected:',
          )}
          ${listed(
            failed.filter(({ isUnknown }) => isUnknown),
            'Look at these before you try again: the response was lost, and they may have been changed.',
          )}</div>`
      }
      <div class="grid">${[state, ...FIELDS].map(field)}</div>
      ${field(COMMENT)}
      ${user.rights.insider && html`<${Check} name="private" label="The comment is private" value=${values.isPrivate === true} onChange=${(isPrivate) => set('isPrivate', isPrivate)} />`}
      <div class="buttons">
        <button type="submit" aria-disabled=${isSending === true}>${isSending ? 'Saving …' : `Change ${ids.length} ${ids.length === 1 ? 'bug' : 'bugs'}`}</button>
        <button type="button" class="plain" aria-disabled=${isSending === true} onClick=${() => isSending || onClose()}>Cancel</button>
      </div>
    </form>`;
  }
}

/** Codes that refuse a request whatever its bugs: the key is none, or of a user who is disabled. */
const NOT_OF_A_BUG = [300, 301, 306, 410];

/**
 * Changes bugs together, or, where one of them is refused, each alone. Returns those that are not changed, with the reason;
 * `isUnknown`: or that may be. What was not refused is not sent again: a comment would be written twice.
 */
async function change(ids, body) {
  const [first, ...others] = ids;
  try {
    await send('PUT', `bug/${first}`, others.length === 0 ? body : { ...body, ids: others });
    return [];
  } catch (problem) {
    const { message, status, code } = problem;
    const isRefused = status >= 400 && status < 500;
    if (others.length === 0 || !isRefused || status === 429 || NOT_OF_A_BUG.includes(code))
      return ids.map((id) => ({ id, message, isUnknown: !isRefused }));
  }
  const failed = [];
  for (const id of ids) failed.push(...(await change([id], body)));
  return failed;
}
