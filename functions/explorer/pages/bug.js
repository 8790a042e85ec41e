import { namedCount, readAround, readDescription, readPart, withEarlier } from './comments.js';
import { Composer } from './composer.js';
import { removeDraftsOf } from './draft-form.js';
import {
  attempt,
  counted,
  focusOn,
  html,
  Icon,
  Lazy,
  Listening,
  listUrl,
  Menu,
  Notice,
  Person,
  SAID_MS,
  State,
  say,
  showBar,
  shownName,
  When,
} from './elements.js';
import { editableFields, Fields, Row } from './fields.js';
import { inputId, Options } from './inputs.js';
import { addLabels, labelOf, restName } from './labels.js';
import { referredBugs } from './prose.js';
import { apiKey, keepVisit, reader, readerOf, readNames, rest, restOnce, send, TOO_LARGE } from './rest.js';
import { mayChange } from './rights.js';
import { quotation, Timeline } from './timeline.js';

/** The page of a bug, given by id or alias. What it is beside the bug itself, names and titles of others, is read when it is shown. */
export async function page(parameters) {
  const id = encodeURIComponent(parameters.get('id') ?? '');
  const view = await readView(id);
  const { bug } = view;
  const { promise: later, resolve: tell } = Promise.withResolvers();
  return {
    title: `${bug.id} – ${bug.alias.length > 0 ? `(${bug.alias.join(', ')}) ` : ''}${bug.summary}`,
    content: html`<${Bug} ...${{ view, onRead: tell }} />`,
    later,
  };
}

/** Reads a bug with all that stands on its page. What fails beside the bug is said in its place. `known`: comments that were read before */
async function readView(id, known = []) {
  const problems = [];
  const isRead = known.length > 0;
  const [user, { history, attachments, ...bug }, comments, visits] = await Promise.all([
    // The header says why a key is not valid.
    reader().catch(() => undefined),
    readBug(id, problems),
    commentsOf(id).catch(({ message }) => {
      problems.push(`Comments: ${message}`);
      return { comments: [], description: [] };
    }),
    // When the reader was here before is kept of bugs that concern them.
    isRead || apiKey() === '' || !/^\d+$/.test(id) ? [] : rest(`bug_user_last_visit/${id}`).catch(() => []),
  ]);
  const [first] = comments.comments;
  // Comments that were read before and stand before the newest ones stay.
  const earlier = first === undefined ? known : known.filter(({ count }) => count < first.count);
  const hasGap = earlier.length > 0 && earlier.at(-1).count + 1 < first?.count;
  return {
    id,
    problems,
    user,
    bug,
    description: comments.description,
    comments: hasGap ? comments.comments : [...earlier, ...comments.comments],
    changes: history,
    isTagger: user?.rights.comment_tagger === true,
    attachments,
    ...(isRead ? {} : { lastVisit: visits[0]?.last_visit_ts }),
  };
}

/** What is told of a view beside: other bugs, names of people and of custom fields, the rights for its product. */
async function readExtras(view) {
  const [bugs, names, labels, user] = await Promise.all([
    knownBugs(view).catch(() => new Map()),
    realNames(view),
    customLabels(view.bug).catch(() => []),
    readerOf(view.user, view.bug.product).catch(() => view.user),
  ]);
  return { bugs, names, labels, user };
}

/** Reads a bug with its version, changes and attachments; without these, where they are too large. What is kept of a bug that is refused is removed. */
async function readBug(id, problems) {
  const address = `bug/${id}?include_fields=_default,bugless_version`;
  const read = async (more = '') => (await rest(address + more)).bugs[0];
  try {
    return await read(',history,attachments');
  } catch (problem) {
    const { status, code, message } = problem;
    if (status === 401 || status === 404) {
      removeDraftsOf(id);
      keepVisit({ id: Number(id) }, true);
    }
    if (code !== TOO_LARGE || status >= 500) throw problem;
    problems.push(`Changes and attachments: ${message}`);
    return { ...(await read()), history: [], attachments: [] };
  }
}

/** The newest comments, or those around the one that the address names, and the description where these do not have it. */
async function commentsOf(id) {
  const newest = await readPart(id);
  const count = namedCount();
  const isThere = count === undefined || count === 0 || newest.some((one) => one.count === count);
  const comments = isThere || newest[0]?.count === 0 ? newest : await readAround(id, count);
  const [first] = comments;
  const description = first === undefined || first.count <= 1 ? [] : await readDescription(id);
  return { comments, description };
}

/** Tells that the reader is here, of a bug that concerns them. What not everybody sees is not kept in the browser. */
function visit({ bug, user }) {
  keepVisit(bug, bug.groups.length > 0);
  if (![bug.creator, bug.assigned_to, bug.qa_contact, ...bug.cc].includes(user?.name)) return;
  setTimeout(() => send('POST', `bug_user_last_visit/${bug.id}`, {}).catch(() => undefined));
}

/** The bugs that a bug refers to, by id, without those that the reader may not see. */
async function knownBugs({ bug, comments }) {
  const inTexts = referredBugs(comments.map(({ text }) => text));
  const ids = new Set([...bug.depends_on, ...bug.blocks, bug.dupe_of, ...inTexts].filter(Boolean));
  if (ids.size === 0) return new Map();
  const some = [...ids].slice(0, 200).join();
  const { bugs } = await restOnce(`bug?id=${some}&include_fields=id,summary,status,resolution,is_open`);
  return new Map(bugs.map((one) => [one.id, one]));
}

/** Real names by login, of which the bug tells many; those of a login without an account are unknown. */
async function realNames({ bug, comments, description, changes, attachments }) {
  const people = [...comments, ...description, ...attachments, bug].map(({ creator }) => creator);
  const flags = [bug, ...attachments].flatMap((one) => one.flags ?? []);
  people.push(bug.assigned_to, bug.qa_contact, ...bug.cc, ...changes.map(({ who }) => who));
  people.push(...flags.flatMap(({ setter, requestee }) => [setter, requestee]));
  const details = ['creator', 'assigned_to', 'qa_contact', 'cc'].flatMap((name) => bug[`${name}_detail`]);
  const known = Object.fromEntries(details.filter(Boolean).map(({ name, real_name }) => [name, real_name]));
  return { ...known, ...(await readNames(people.filter((login) => login && !(login in known)))) };
}

/** The names of the custom fields of a bug with their labels. */
async function customLabels(bug) {
  const names = Object.keys(bug).filter((name) => name.startsWith('cf_'));
  if (names.length === 0) return [];
  const { fields } = await restOnce(`field/bug?${new URLSearchParams(names.map((name) => ['names', name]))}`);
  const labels = fields.map(({ name, display_name }) => [name, display_name]);
  addLabels(labels);
  return labels;
}

/** The list from which a bug was opened: `{address, ids, total, offset}`; undefined: none, or the bug is not in it. */
function listOf(id) {
  const list = JSON.parse(sessionStorage.getItem('bugless list') ?? '{}');
  return list.ids?.includes(id) ? { ...list, index: list.ids.indexOf(id) } : undefined;
}

const openBug = (id) => dispatchEvent(new CustomEvent('bugless-open', { detail: `show_bug.cgi?id=${id}` }));

/** What each key does on a bug. */
const KEYS = {
  j: (page) => page.go(1),
  k: (page) => page.go(-1),
  c: (page) => page.write(),
  r: (page) => page.reply(),
  s: (page) => page.openStatus(),
  e: (page) => page.choose(),
};

class Bug extends Listening {
  state = {
    view: this.props.view,
    extras: { bugs: new Map(), names: {}, labels: [], user: this.props.view.user },
    editing: undefined,
  };
  drafts = new Map();

  async componentDidMount() {
    this.listenToKeys(KEYS);
    this.listen('hashchange', () => this.showNamed());
    this.listen('online offline', () => this.showConnection());
    this.listen('bugless-signed', ({ detail }) => this.showEnd(detail.hasEnded || detail.isOther));
    const narrow = matchMedia('(max-width: 64rem)');
    // What is folded on a phone is printed.
    const fold = ({ type }) => this.setState({ isNarrow: type !== 'beforeprint' && narrow.matches });
    this.listen('beforeprint afterprint', fold);
    this.listen('change', fold, narrow);
    fold({});
    this.observer = new IntersectionObserver(([entry]) =>
      this.setState({ isPinned: !entry.isIntersecting && entry.boundingClientRect.top < 0 }),
    );
    this.observer.observe(document.querySelector('.bug-head'));
    visit(this.state.view);
    await this.readExtras();
    this.props.onRead();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.observer.disconnect();
    document.body.classList.remove('ended');
    showBar();
  }

  async readExtras() {
    const extras = await readExtras(this.state.view);
    this.setState({ extras });
  }

  onComposer = (composer) => {
    this.composer = composer;
  };

  /** Reads the bug again; what is being written stays. */
  async refresh() {
    const { view } = this.state;
    const fresh = { ...view, ...(await readView(view.id, view.comments)) };
    this.setState({ view: fresh });
    await this.readExtras();
    return fresh;
  }

  /** Something was saved: it is said where it was done, and the focus goes there. */
  onSaved = async ({ name, focus, text = '', isComment = false, undo }) => {
    showBar();
    const fresh = await this.refresh().catch(({ message }) => {
      const again = () => this.onSaved({ name, focus, text, isComment });
      showBar(
        html`<p><b>It is saved.</b> The bug could not be read again: ${message}</p><button type="button" onClick=${again}>Try again</button>`,
      );
    });
    if (fresh === undefined) return;
    const { bug, comments } = fresh;
    const last = comments.at(-1);
    const saved = isComment ? last?.count : name;
    this.setState({ editing: name === this.state.editing ? undefined : this.state.editing, saved }, () => {
      document.title = `${bug.id} – ${bug.summary}`;
      document.getElementById(isComment ? `c${last?.count}` : focus)?.focus({ preventScroll: !isComment });
    });
    say(text, undo);
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.setState({ saved: undefined }), SAID_MS);
  };

  /**
   * Changes the bug on the condition that it is as it was seen; else it is read again, and where others changed the same fields, the
   * reader says what holds. `names` of what is changed, `mine`: what was entered, in words. Returns whether it is changed.
   */
  change = async (body, names, mine, before = this.state.view.bug) => {
    try {
      await send('PUT', `bug/${before.id}`, body, { 'If-Match': `"${before.bugless_version}"` });
      return true;
    } catch (problem) {
      if (problem.status !== 412) throw problem;
    }
    const { bug, changes } = await this.refresh();
    const { names: people } = this.state.extras;
    const isSame = (name) => JSON.stringify(before[name]) === JSON.stringify(bug[name]);
    const both = names.filter((name) => !isSame(name));
    if (both.length === 0) return this.change(body, names, mine, bug);
    const isOfThese = ({ field_name }) => both.includes(restName(field_name));
    const theirs = changes.findLast((change) => change.changes.some(isOfThese));
    const words = both.map((name) => `${labelOf(name)} to ${[bug[name]].flat().join(', ')}`).join(', ');
    const by = theirs ? shownName(theirs.who, people) : 'Somebody';
    this.setState({ conflict: { names: both, by, mine } });
    const isMine = await new Promise((resolve) => {
      showBar(html`<p><b>${by} changed ${words}</b>, while you wrote. Nothing of yours is lost.</p>
        <button type="button" class="primary" onClick=${() => resolve(false)}>Keep theirs</button>
        <button type="button" onClick=${() => resolve(true)}>Save mine${mine && `: ${mine}`}</button>`);
      document.querySelector('#bar .notice').focus();
    });
    showBar();
    this.setState({ conflict: undefined });
    return isMine && this.change(body, names, mine, bug);
  };

  /** Changes fields at once, as the button says that stands at one of them; its row says it. `more`: what else is said */
  onSave = (name, body, more) => {
    // What is added to a list, or taken away, fits whatever others did.
    const names = Object.keys(body).filter((one) => typeof body[one] === 'string');
    const said = { name, focus: `change-${name}`, ...more };
    attempt(this.change(body, names, body[name]).then((isChanged) => isChanged && this.onSaved(said)));
  };

  onEdit = (editing, then) => this.setState({ editing, isChoosing: false }, then);

  /** What is folded on a phone stays open while it is changed. */
  onUnfold = ({ target }) => this.setState({ isUnfolded: target.open });

  onEarlier = async (isAll) => {
    if (this.state.isReading) return;
    this.setState({ isReading: true });
    try {
      for (let comments = this.state.view.comments, before; ; ) {
        before = comments.length;
        comments = await withEarlier(this.state.view.id, comments);
        this.setState({ view: { ...this.state.view, comments } });
        if (!isAll || comments[0].count <= 1 || comments.length === before) break;
      }
    } catch ({ message }) {
      say(message);
    }
    this.setState({ isReading: false });
  };

  /** Shows the comment that the address names. */
  async showNamed() {
    const count = namedCount();
    const { view } = this.state;
    if (count === undefined || count === 0 || view.comments.some((one) => one.count === count)) return;
    const comments = await readAround(view.id, count);
    this.setState({ view: { ...view, comments } }, () =>
      document.getElementById(`c${count}`)?.scrollIntoView(),
    );
  }

  showConnection() {
    const back = html`<p><b>You are back.</b> What you wrote is not sent yet.</p><button type="button" onClick=${() => showBar() ?? document.getElementById('composer').requestSubmit()}>Send now</button>`;
    if (navigator.onLine) return showBar(this.composer?.isUnsaved() ? back : undefined);
    showBar(html`<p><b>No connection.</b> What you write is kept in this tab, and not sent.</p>`);
  }

  /** Prints the bug with all its comments. */
  print = async () => {
    if (this.state.view.comments[0]?.count > 1) await this.onEarlier(true);
    print();
  };

  go(step) {
    const list = listOf(this.state.view.bug.id);
    const next = list?.ids[list.index + step];
    if (next !== undefined) openBug(next);
  }

  write = (written) => this.composer?.write(written);

  reply() {
    const { comments, description } = this.state.view;
    const focused = document.activeElement.closest('article.entry')?.id;
    const all = [...description, ...comments];
    const comment = all.find(({ count }) => `c${count}` === focused) ?? all.at(-1);
    if (comment !== undefined) this.write(quotation(comment, this.state.extras.names));
  }

  openStatus = () => mayChange('status', this.viewed()) && this.setState({ isStatusOpen: true });

  closeStatus = () => this.setState({ isStatusOpen: false }, () => focusOn('change-status'));

  onStatus = async (said) => {
    this.setState({ isStatusOpen: false });
    await this.onSaved({ ...said, text: 'Saved.' });
  };

  /** Goes to the field that has the focus, or that the pointer is at; else asks for one. */
  choose() {
    const row = document.activeElement.closest('.row') ?? document.querySelector('.row:hover');
    const pen = document.activeElement.closest('[id^=change-]') ?? row?.querySelector('.pen');
    if (pen) pen.click();
    else if (editableFields(this.viewed()).length > 0)
      this.setState({ isChoosing: true }, () => focusOn(inputId('field')));
  }

  showEnd(hasEnded) {
    const { id, groups } = this.state.view.bug;
    document.body.classList.toggle('ended', hasEnded && groups.length > 0);
    if (hasEnded) document.title = `Bug ${id}`;
    this.setState({ hasEnded });
  }

  /** What is shown: after the end of a session, or where somebody else has signed in since, what everybody may see. */
  viewed() {
    const { view, extras, hasEnded } = this.state;
    if (!hasEnded) return { ...view, ...extras };
    const isShown = ({ is_private }) => !is_private && view.bug.groups.length === 0;
    const parts = ['description', 'comments', 'attachments'].map((name) => [
      name,
      view[name].filter(isShown),
    ]);
    // Changes may be of private attachments, and titles of other bugs.
    return { ...view, ...extras, ...Object.fromEntries(parts), changes: [], bugs: new Map(), hasEnded };
  }

  render(
    _,
    { editing, saved, conflict, isReading, isPinned, isNarrow, isUnfolded, isChoosing, isStatusOpen },
  ) {
    const { drafts, onEdit, onSaved, onSave, change: onChange, onEarlier } = this;
    const given = { drafts, onEdit, onSaved, onSave, onChange, onEarlier };
    const view = { ...this.viewed(), ...given, saved, editing, conflict, isReading };
    const { bug, user, names, comments, hasEnded } = view;
    const last = comments.at(-1);
    // Private ones have numbers, too, also where they are not shown.
    const count = last && comments.length + comments[0].count - 1;
    const may = (name) => !hasEnded && mayChange(name, view);
    const canChange = may('status');
    const isFollowing = bug.cc.includes(user?.name);
    const follow = (is) => {
      const text = is ? 'You follow this bug.' : 'You do not follow this bug any more.';
      const change = { cc: { [is ? 'add' : 'remove']: [user.name] } };
      this.onSave('cc', change, { text, undo: () => follow(!is) });
    };
    const fields = html`${isChoosing && html`<${Choice} ...${{ view, onChoose: this.onEdit }} />`}<${Fields} ...${view} />`;
    const { product } = bug;
    return html`
      <div data-new-bug=${`enter_bug.cgi?${new URLSearchParams({ product, component: bug.component })}`} class="crumbs"><a href=${listUrl({ product, bug_status: '__open__' })} dir="auto">${product}</a><span aria-hidden="true">/</span><a href=${listUrl({ product, component: bug.component, bug_status: '__open__' })} dir="auto">${bug.component}</a>${bug.alias.map((alias) => html`<span dir="auto">· ${alias}</span>`)}<${Place} id=${bug.id} /></div>
      <div class="bug-head">${editing === 'summary' ? undefined : html`<h1 dir="auto"><span class="id">Bug ${bug.id}</span> <span dir="auto">${bug.summary}</span></h1>`}<dl class=${editing === 'summary' ? 'title-row open' : 'title-row'}><${Row} name="summary" ...${view} isEditable=${may('summary')} isEditing=${editing === 'summary'} isSaved=${saved === 'summary'} /></dl></div>
      <div class="bug-line"><${State} bug=${bug} button=${canChange ? { id: 'change-status', 'aria-expanded': isStatusOpen === true, onClick: isStatusOpen ? this.closeStatus : this.openStatus } : undefined} />
        <span><${Person} login=${bug.creator} names=${names} /> reported it <${When} at=${bug.creation_time} /></span>
        ${count > 0 && html`<span><a href=${`#c${last.count}`}>${counted(count, 'comment')}</a>, last <${When} at=${last.time} /></span>`}
        <span class="push line">${user && !hasEnded && html`<button type="button" class="tiny" onClick=${() => follow(!isFollowing)}><${Icon} name="eye" />${isFollowing ? 'Unfollow' : 'Follow'}</button>`}
          <${Menu} label="More" icon="more" kind="button tiny only quiet" side="right"><ul>
            <li><a href=${`enter_bug.cgi?cloned_bug_id=${bug.id}`}>New bug like this</a></li>
            ${may('alias') && bug.alias.length > 0 && html`<li><button type="button" onClick=${() => onEdit('alias')}>Change the alias</button></li>`}
            <li><a href=${`show_bug.cgi?ctype=xml&id=${bug.id}`}>As XML</a></li>
            <li><button type="button" onClick=${this.print}>Print</button></li></ul><//></span>
        ${
          isStatusOpen &&
          html`<${Lazy} ...${view} from=${() => import('./edit.js')} part="StatusForm" name="status" focus="change-status" onFail=${this.closeStatus} onClose=${this.closeStatus} onSaved=${this.onStatus} />`
        }
      </div>
      ${bug.groups?.length > 0 && html`<${Notice}><p><b>Restricted to ${bug.groups.join(', ')}.</b> Also its reporter, assignee, QA contact and CC see it, as far as the bug says so.</p><//>`}
      ${isPinned && html`<div class="pinned"><${State} bug=${bug} /><strong dir="auto"><span class="soft num">${bug.id}</span> ${bug.summary}</strong><a class="small" href="#main">Top</a>${last && html`<a class="small" href=${`#c${last.count}`}>Newest</a>`}${user && html`<button type="button" class="tiny" onClick=${() => this.write()}>Comment <kbd aria-hidden="true">c</kbd></button>`}</div>`}
      <div class="bug"><div>
        <section class="timeline" aria-label="Comments and changes">
          ${view.problems.map((problem) => html`<${Notice} kind="bad"><p>${problem}</p><//>`)}
          <${Timeline} ...${view} onReply=${user && this.write} />
        </section>
        ${
          user
            ? html`<${Composer} onMount=${this.onComposer} ...${view} />`
            : html`<p class="more">To comment, sign in above.</p>`
        }
        </div>
        <aside class="fields" aria-label="Fields">${isNarrow ? html`<details class="digest" open=${isUnfolded || isChoosing || editing === 'alias'} onToggle=${this.onUnfold}><summary><${Icon} name="filter" /><span><b>${bug.priority === '---' ? 'No priority' : bug.priority}</b> · ${bug.severity} · <span dir="auto">${bug.component}</span> · <span dir="auto">${shownName(bug.assigned_to, names)}</span></span><span class="push"><${Icon} name="down" /></span></summary><div class="digest-rows">${fields}</div></details>` : fields}</aside>
      </div>
      ${
        user &&
        html`<div class="phone-bar"><button type="button" class="primary" onClick=${() => this.write()}>Comment</button>${
          canChange &&
          html`<button type="button" onClick=${() => scrollTo(0, 0) ?? this.openStatus()}>Change status</button>`
        }</div>`
      }`;
  }
}

/** Where the bug stands in the list from which it was opened. */
const Place = ({ id }) => {
  const list = listOf(id);
  if (list === undefined) return undefined;
  const way = (step, label, icon) => {
    const next = list.ids[list.index + step];
    const open = (event) => {
      event.preventDefault();
      openBug(next);
    };
    return (
      next !== undefined &&
      html`<a class="button quiet tiny only" href=${`show_bug.cgi?id=${next}`} onClick=${open} aria-label=${label}><${Icon} name=${icon} /></a>`
    );
  };
  return html`<nav class="push line" aria-label="Bugs of the list">${way(-1, 'Previous bug of the list (k)', 'left')}<a href=${list.address}><span class="num">${list.offset + list.index + 1} of ${list.total}</span></a>${way(1, 'Next bug of the list (j)', 'right')}</nav>`;
};

/** Asks which field is to be changed. */
const Choice = ({ view, onChoose }) =>
  html`<div class="row editing" onKeyDown=${({ key }) => key === 'Escape' && onChoose()}>
    <${Options} name="field" label="Field to change" isOne isNarrowed chosen=${[]} options=${editableFields(view)} onChange=${([name]) => onChoose(name)} /></div>`;
