import { Component } from 'preact';
import { bugUrl, counted, html, Icon, State, say } from './elements.js';
import { rest, send } from './rest.js';

/** When bugs are looked up, in ms after the last letter, and how many are shown. */
const PAUSE_MS = 300;
const MAX_SHOWN = 5;

/** Bugs of the product that the one whose summary is typed may be a duplicate of. One request is made at a time. */
export class Similar extends Component {
  componentDidMount() {
    this.componentDidUpdate({ summary: '' });
  }

  componentDidUpdate({ summary }) {
    if (summary === this.props.summary) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lookUp(), PAUSE_MS);
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  async lookUp() {
    const { product, summary } = this.props;
    if (this.isReading || summary.trim() === this.known) return;
    this.known = summary.trim();
    if (this.known === '') return this.setState({ bugs: [] });
    this.isReading = true;
    const include_fields = 'id,summary,status,resolution,is_open';
    const query = new URLSearchParams({ products: product, summary, limit: MAX_SHOWN, include_fields });
    this.setState(await rest(`bug/possible_duplicates?${query}`).catch(() => ({ bugs: [] })));
    this.isReading = false;
    // What was typed meanwhile.
    return this.lookUp();
  }

  /** Follows one instead of filing another, or does not any more. */
  async follow(id, is = true) {
    const change = { cc: { [is ? 'add' : 'remove']: [this.props.user.name] } };
    await send('PUT', `bug/${id}`, change).then(
      () => say(is ? `You follow bug ${id}.` : `You do not follow bug ${id}.`, () => this.follow(id, !is)),
      ({ message }) => say(message),
    );
  }

  render({ summary }, { bugs = [] }) {
    return html`<section class="side similar" aria-label="Similar bugs"><div><h2>Is it one of these?</h2><p class="soft small" role="status">${bugs.length > 0 ? `${counted(bugs.length, 'bug')} like “${summary}”` : 'Bugs with the words of the summary stand here.'}</p></div>
      <ul>${bugs.map((bug) => html`<li><a href=${bugUrl(bug.id)} dir="auto">${bug.summary}</a><p class="line small soft"><span class="num">${bug.id}</span><${State} bug=${bug} /><button type="button" class="tiny quiet push" aria-label=${`I have this, too: bug ${bug.id}`} onClick=${() => this.follow(bug.id)}><${Icon} name="eye" />I have this, too</button></p></li>`)}</ul></section>`;
  }
}
