import { attempt, bugUrl, counted, html, Icon, LookingUp, State, say } from './elements.js';
import { rest, send } from './rest.js';

/** Bugs that are shown at most. */
const MAX_SHOWN = 5;

/** Bugs of the product that the one whose summary is typed may be a duplicate of. */
export class Similar extends LookingUp {
  componentDidMount() {
    this.componentDidUpdate({ summary: '' });
  }

  componentDidUpdate({ summary }) {
    if (summary !== this.props.summary) this.lookUpSoon(this.props.summary.trim());
  }

  async read(summary) {
    if (summary === '') return { bugs: [] };
    const include_fields = 'id,summary,status,resolution,is_open';
    const about = { products: this.props.product, summary, limit: MAX_SHOWN, include_fields };
    return rest(`bug/possible_duplicates?${new URLSearchParams(about)}`);
  }

  /** Follows one instead of filing another, or does not any more. */
  follow(id, is = true) {
    const change = { cc: { [is ? 'add' : 'remove']: [this.props.user.name] } };
    const said = is ? `You follow bug ${id}.` : `You do not follow bug ${id}.`;
    attempt(send('PUT', `bug/${id}`, change).then(() => say(said, () => this.follow(id, !is))));
  }

  render({ summary }, { bugs = [] }) {
    return html`<section class="side similar" aria-label="Similar bugs"><div><h2>${bugs.length > 0 ? 'Is it one of these?' : 'Similar bugs'}</h2><p class="soft small" role="status">${bugs.length > 0 ? `${counted(bugs.length, 'bug')} like “${summary}”` : 'They appear here as you type.'}</p></div>
      ${bugs.length > 0 && html`<ul>${bugs.map((bug) => html`<li><a href=${bugUrl(bug.id)} dir="auto">${bug.summary}</a><p class="line small soft"><span class="num">${bug.id}</span><${State} bug=${bug} /><button type="button" class="tiny quiet push" aria-label=${`I have this, too: bug ${bug.id}`} onClick=${() => this.follow(bug.id)}><${Icon} name="eye" />I have this, too</button></p></li>`)}</ul>`}</section>`;
  }
}
