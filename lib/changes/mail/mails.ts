import type { BugItem } from '../../bugs/schema.ts';
import { type EventRepositories, hoursOf, type PublishedChange } from '../events/change.ts';
import { changeMails } from './change-mails.ts';
import { contextOf, type Mail, type MailContext, type MailRules } from './context.ts';
import type { PlannedMails } from './deliver.ts';
import { dependencyMails, dependentsOf } from './dependency-mails.ts';
import { requestMails } from './flag-requests.ts';

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
    dependents: (after) =>
      dependencyMails(
        context,
        told.filter((id) => id > after),
        sources,
      ),
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
