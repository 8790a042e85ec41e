import { portions } from '../../base/collections.ts';
import { normalizeName } from '../../base/text.ts';
import { isCommentShown } from '../../bugs/comments/presenter.ts';
import type { RecordedFlag } from '../../bugs/flags/schema.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { bugUrl } from '../../bugs/see-also.ts';
import { knownProduct, placeOf } from '../../products/place.ts';
import { type EventRepositories, hoursOf, type PublishedChange } from '../events/change.ts';
import { changeMails } from './change-mails.ts';
import { attachmentUrl, commentText, hasText } from './comment-text.ts';
import { contextOf, identityOf, type Mail, type MailContext, type MailRules } from './context.ts';
import type { DependentMails, PlannedMails } from './deliver.ts';
import { bugHeaders, reasonHeaders } from './headers.ts';
import { isMailed, reasonsFor, rolesIn, signature, wantsChange } from './recipients.ts';
import { changeTable, rowsOf } from './rows.ts';
import { placesOf, readWatchers, recipientsOf } from './watchers.ts';
import { MAX_LINE, wrapHard } from './wrap.ts';

/**
 * The mails of a change, made when they are sent: to those with a role in the bug, and those who are asked or answered by a flag;
 * then to those with a role in a bug that depends on it; each with those who watch. functions/mail/README.md 1
 */
export async function mailsOf(
  change: PublishedChange,
  sources: EventRepositories,
  rules: MailRules,
): Promise<PlannedMails<Mail>> {
  const authors: { context: MailContext; related: ReadonlyMap<number, BugItem> }[] = [];
  for (const run of runsByAuthor(change)) {
    authors.push({ context: await contextOf(run, sources, rules), related: await readRelated(run, sources) });
  }
  function* own(): Generator<Mail> {
    for (const { context, related } of authors) {
      yield* changeMails(context, related, 'roles');
      yield* requestMails(context);
    }
    // They may be more than a change may have: of these the others go first.
    for (const { context, related } of authors) yield* changeMails(context, related, 'watchers');
  }
  const told = dependentsOf(change);
  const [{ context } = {}] = authors;
  // Comments alone, which may have several authors, open and close no bug.
  const isCut = authors.some(({ context: { watchers } }) => watchers.isCut);
  if (told.length === 0 || context === undefined) return { own: own(), isCut };
  return {
    ...{ own: own(), isCut },
    async *dependents(after) {
      const left = told.filter((id) => id > after);
      for (const some of portions(left, { max: MAX_DEPENDENT_BUGS }))
        yield* mailsOfBugs(context, some, sources);
    },
  };
}

/** Comments that were written together may have several authors: each of them hears of the others'. */
function runsByAuthor(change: PublishedChange): PublishedChange[] {
  const authors = new Set(change.comments.map(({ creator }) => creator));
  if (change.kind !== 'commented' || authors.size < 2) return [change];
  return [...authors].map((who) => {
    const comments = change.comments.filter(({ creator }) => creator === who);
    return { ...change, who, comments, history: hoursOf(comments) };
  });
}

/** The bugs that a mail names as related. */
async function readRelated(
  { kind, bug, record: { removed, added } }: PublishedChange,
  { bugs }: EventRepositories,
): Promise<ReadonlyMap<number, BugItem>> {
  const named = ['blocks', 'depends_on'].flatMap((field) =>
    [removed[field] ?? [], added[field] ?? []].flat(),
  );
  const ids = kind === 'created' ? [...bug.depends_on, ...bug.blocks] : named.map(Number);
  return ids.length === 0 ? new Map() : bugs.byIds([...new Set(ids)]);
}

/** Bugs that are read together. */
const MAX_DEPENDENT_BUGS = 10;

/** The ids of the bugs that depend on one which a change closed or opened again, in their order; else none. */
function dependentsOf({
  bug,
  history,
  workflow,
}: Pick<PublishedChange, 'bug' | 'history' | 'workflow'>): number[] {
  const state = history.find(({ field_name }) => field_name === 'status');
  if (state === undefined || workflow.isOpen(state.removed) === workflow.isOpen(state.added)) return [];
  return bug.blocks.toSorted((a, b) => a - b);
}

/**
 * The mails to those with a role in bugs, or who watch them or the component, that depend on one which was closed or opened again,
 * bug by bug: there may be many.
 *
 * @param ids of the bugs
 */
async function* mailsOfBugs(
  context: MailContext,
  ids: number[],
  sources: EventRepositories,
): AsyncGenerator<DependentMails<Mail>> {
  const { change, rules, changer, viewerOf } = context;
  const { bug } = change;
  const read = await sources.bugs.byIds(ids);
  const blocked = ids.flatMap((id) => read.get(id) ?? []);
  const logins = blocked.flatMap((one) => [...rolesIn(one).values()].map(({ login }) => login));
  const users = await sources.users.mailedByLogins(logins);
  const watchers = await readWatchers(users.values(), blocked.flatMap(placesOf), sources);
  const products = await sources.products.ofBugs(blocked);
  const rows = rowsOf(change).filter(({ name }) => name === 'bug_status' || name === 'resolution');
  const ordered = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = ordered.map(({ name }) => name);
  for (const dependent of blocked) {
    const product = products.get(dependent.product_id);
    const place = placeOf(dependent, product === undefined ? undefined : knownProduct(product));
    const about = { ...context, change: { ...change, bug: dependent, product, place } };
    const body = [
      `${bugUrl(rules.base, dependent.id)}\nBug ${dependent.id} depends on bug ${bug.id}, which changed state.\n`,
      `\nBug ${bug.id} Summary: ${bug.summary}\n${bugUrl(rules.base, bug.id)}\n\n${changeTable(ordered)}\n`,
    ].join('');
    const recipients = recipientsOf(rolesIn(dependent), users, watchers, placesOf(dependent));
    const mails = [...recipients].flatMap((recipient): Mail[] => {
      const { user } = recipient;
      if (user.id === changer?.id || !isMailed(user)) return [];
      const viewer = viewerOf(user);
      if (!viewer.maySee(bug) || !viewer.maySee(dependent)) return [];
      const reasons = reasonsFor(recipient, ordered, false, change.record);
      if (reasons === undefined || !wantsChange(user, ['status'])) return [];
      const end = signature(reasons);
      return [
        {
          ...{ recipient: user, changer: changer?.id ?? 0, type: 'dep_changed' },
          id: `dep_changed_${dependent.id}`,
          subject: `[Bug ${dependent.id}] ${dependent.summary}`,
          headers: { ...reasonHeaders(reasons, 'dep_changed', names), ...bugHeaders(about, user) },
          ...{ text: () => `${body}${end}`, hasHtml: true },
        },
      ];
    });
    yield { bug: dependent.id, mails };
  }
}

const ANSWERS: Readonly<Record<string, string>> = { '+': 'granted', '-': 'denied', '?': 'requested' };
const answerOf = (after: RecordedFlag['after']): string =>
  after === undefined ? 'canceled' : (ANSWERS[after.status] ?? after.status);

/** Who is asked, or answered: the requestee of a new request, or the setter of an answered one. */
function addresseeOf({ before, after }: RecordedFlag): string | undefined {
  const isAsked = after?.status === '?';
  if (isAsked && after.requestee !== null && after.requestee !== before?.requestee) return after.requestee;
  return before?.status === '?' && !isAsked ? before.setter : undefined;
}

/**
 * The mails about flags: to who is asked or answered, and to the CC list of the flag's type. functions/mail/README.md 1
 *
 * As in Bugzilla, who asks himself, and who answers or cancels his own request, hears of it, too.
 */
function* requestMails(context: MailContext): Generator<Mail> {
  const { change, users, changer, viewerOf, flagTypes } = context;
  const { bug, record, attachments } = change;
  for (const [index, flag] of record.flags.entries()) {
    const type = flagTypes.get(flag.type_id);
    if (type === undefined) continue;
    const attachment = flag.attachment_id === undefined ? undefined : attachments.get(flag.attachment_id);
    if (flag.attachment_id !== undefined && attachment === undefined) continue;
    const isOnBug = attachment === undefined;
    const addressee = addresseeOf(flag);
    const logins = new Map(
      [addressee ?? [], type.cc_list].flat().map((login) => [normalizeName(login), login]),
    );
    const subject = [
      `${type.name} ${answerOf(flag.after)}: [Bug ${bug.id}] ${bug.summary}`,
      ...(isOnBug ? [] : [`[Attachment ${attachment.id}] ${attachment.summary}`]),
    ].join(' : ');
    for (const login of logins.keys()) {
      const user = users.get(login);
      if (user === undefined || !isMailed(user)) continue;
      const viewer = viewerOf(user);
      const isHidden = !isOnBug && attachment.is_private && !viewer.isInsider;
      if (isHidden || !viewer.maySee(bug)) continue;
      const comments = isOnBug
        ? change.comments.filter((one) => hasText(one) && isCommentShown(one, viewer.isInsider))
        : [];
      yield {
        ...{ recipient: user, changer: changer?.id ?? 0, type: 'request', id: `request_${index}` },
        ...{ subject, hasHtml: false },
        headers: { 'X-Bugzilla-Type': 'request', ...bugHeaders(context, user) },
        text: () =>
          [
            `${wrapped(sentenceOf(flag, type.name, context))}\n`,
            `${wrapped(`Bug ${bug.id}: ${bug.summary}`)}\n${bugUrl(context.rules.base, bug.id)}\n`,
            isOnBug
              ? ''
              : `\n${wrapped(`Attachment ${attachment.id}: ${attachment.summary}`)}\n${attachmentUrl(context.rules.base, attachment.id)}&action=edit\n`,
            ...comments.map((comment) => {
              const author = identityOf(comment.creator, users);
              const shown = commentText(comment, author, context, true);
              return `\n\n\n${comment.count === 0 ? '--- Description ---\n' : ''}${shown}\n`;
            }),
          ].join(''),
      };
    }
  }
}

/** A line of a mail about a flag: wrapped, with words cut that are longer than a line. */
const wrapped = (line: string): string => wrapHard(line, MAX_LINE).join('\n');

/** What happened to a flag, in one sentence. */
function sentenceOf({ before, after }: RecordedFlag, name: string, { change, users }: MailContext): string {
  const identity = (login: string) => identityOf(login, users);
  const who = identity(change.who);
  const isAsked = after?.status === '?';
  if (isAsked && before?.status === '?' && normalizeName(before.setter) !== normalizeName(change.who)) {
    const to = after.requestee === null ? 'nobody' : identity(after.requestee);
    return `${who} has reassigned ${identity(before.setter)}'s request for ${name} to ${to}:`;
  }
  if (isAsked)
    return `${who} has asked ${after.requestee === null ? '' : `${identity(after.requestee)} `}for ${name}:`;
  if (before?.status !== '?') return `${who} has ${answerOf(after)} ${name}:`;
  const whose = before.requestee === null ? '' : `${identity(before.requestee)}'s `;
  return `${who} has ${answerOf(after)} ${identity(before.setter)}'s request for ${whose}${name}:`;
}
