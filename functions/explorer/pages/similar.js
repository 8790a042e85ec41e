import { Component } from 'preact';
import { bugUrl, counted, html, Icon, State, say } from './elements.js';
import { rest, send } from './rest.js';

/** When bugs are looked up, in ms after the last letter; by which words, how many are read, and shown. */
const PAUSE_MS = 300;
const MIN_LETTERS = 4;
const [MAX_WORDS, MAX_READ, MAX_SHOWN] = [6, 20, 5];

const wordsOf = (summary) =>
  [...new Set(summary.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    .filter((word) => word.length >= MIN_LETTERS)
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);

/** Bugs of the product whose summaries have most of the words of the one that is typed. One request is made at a time. */
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
    const words = wordsOf(summary);
    if (this.isReading || String(words) === this.known) return;
    this.known = String(words);
    if (words.length === 0) {
      this.setState({ bugs: [] });
      return;
    }
    this.isReading = true;
    const query = new URLSearchParams({
      product,
      short_desc: words.join(' '),
      short_desc_type: 'anywordssubstr',
      order: 'changeddate DESC',
      limit: MAX_READ,
      include_fields: 'id,summary,status,resolution,is_open',
    });
    const { bugs } = await rest(`bug?${query}`).catch(() => ({ bugs: [] }));
    const hits = (bug) => words.filter((word) => bug.summary.toLowerCase().includes(word)).length;
    this.setState({ bugs: bugs.sort((a, b) => hits(b) - hits(a)).slice(0, MAX_SHOWN) });
    this.isReading = false;
    // What was typed meanwhile.
    this.lookUp();
  }

  /** Follows one instead of filing another. */
  follow = async ({ id }) => {
    const { user } = this.props;
    const text = await send('PUT', `bug/${id}`, { cc: { add: [user.name] } }).then(
      () => `You follow bug ${id}.`,
      ({ message }) => message,
    );
    say(text);
  };

  render({ summary }, { bugs = [] }) {
    return html`<section class="side similar" aria-label="Similar bugs"><div><h2>Is it one of these?</h2><p class="soft small" role="status">${bugs.length > 0 ? `${counted(bugs.length, 'bug')} like “${summary}”` : 'Bugs with the words of the summary stand here.'}</p></div>
      <ul>${bugs.map((bug) => html`<li><a href=${bugUrl(bug.id)} dir="auto">${bug.summary}</a><p class="line small soft"><span class="num">${bug.id}</span><${State} bug=${bug} /><button type="button" class="tiny quiet push" aria-label=${`I have this, too: bug ${bug.id}`} onClick=${() => this.follow(bug)}><${Icon} name="eye" />I have this, too</button></p></li>`)}</ul></section>`;
  }
}
