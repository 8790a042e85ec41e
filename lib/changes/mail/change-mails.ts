import { compareNames } from '../../base/text.ts';
import { isCommentShown } from '../../bugs/comments/presenter.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { BugItem } from '../../bugs/schema.ts';
import { bugUrl } from '../../bugs/see-also.ts';
import type { PublishedChange } from '../events/change.ts';
import { commentText, hasText } from './comment-text.ts';
import { identityOf, type Mail, type MailContext, type MailRules, type MailViewer } from './context.ts';
import { bugHeaders, reasonHeaders } from './headers.ts';
import {
  isAddedOrRemoved,
  isMailed,
  kindsOf,
  reasonsFor,
  rolesOf,
  signature,
  wantsChange,
} from './recipients.ts';
import { changeTable, fieldTable, labelOf, type Row, rowsOf } from './rows.ts';
import { placesOfChange, recipientsOf } from './watchers.ts';
import { wrapText } from './wrap.ts';

/** Whether a viewer sees a part of a change. */
const sees = ({ isInsider, isTimeTracker }: MailViewer, { audience }: Row): boolean =>
  audience === 'everyone' || (audience === 'insiders' ? isInsider : isTimeTracker);

/** Bodies that are kept while mails are sent: most mails of a change share one. */
const MAX_BODIES = 10;

/**
 * The mails of a change to those with a role in its bug, or to the others who watch them or its component.
 *
 * @param related the bugs that it names
 */
export function* changeMails(
  context: MailContext,
  related: ReadonlyMap<number, BugItem>,
  to: 'roles' | 'watchers',
): Generator<Mail> {
  const { change, users, watchers, changer, viewerOf } = context;
  const { kind, bug } = change;
  const comments = change.comments.filter(hasText);
  const isNew = kind === 'created';
  const type = isNew ? 'new' : 'changed';
  const rows = rowsOf(change);
  const bodies = new Map<string, string>();
  for (const recipient of recipientsOf(rolesOf(change), users, watchers, placesOfChange(change))) {
    const { user, roles } = recipient;
    const isMeant = roles.size > 0 === (to === 'roles');
    if (!isMeant || user.id === changer?.id || !isMailed(user)) continue;
    const viewer = viewerOf(user);
    const reasons = reasonsFor(recipient, rows, isNew || comments.length > 0, change.record);
    if (reasons === undefined || !viewer.maySee(bug)) continue;
    const shown = rows.filter((row) => sees(viewer, row));
    const readable = comments.filter((comment) => isCommentShown(comment, viewer.isInsider));
    if (!isNew && shown.length + readable.length === 0) continue;
    const isWanted = wantsChange(user, isNew ? ['new'] : kindsOf(shown, readable));
    if (!isWanted && (isNew || !isAddedOrRemoved(user, change.record))) continue;
    const visible = [...related.values()].filter((one) => viewer.maySee(one));
    const key = [viewer.isInsider, viewer.isTimeTracker, ...visible.map(({ id }) => id)].join();
    const body = () => {
      const text = bodies.get(key) ?? bodyOf(context, viewer, shown, readable, visible);
      if (bodies.size >= MAX_BODIES) bodies.clear();
      bodies.set(key, text);
      return text;
    };
    const end = signature(reasons);
    const first = change.comments[0]?.count;
    yield {
      ...{ recipient: user, changer: changer?.id ?? 0, type },
      id: kind === 'commented' ? `${type}_${first}` : type,
      subject: `[Bug ${bug.id}] ${isNew ? 'New: ' : ''}${bug.summary}`,
      headers: {
        ...reasonHeaders(reasons, type, changedFields(context, viewer, shown)),
        ...bugHeaders(context, user),
      },
      ...{ text: () => `${body()}${end}`, hasHtml: true },
    };
  }
}

/** The internal names of the fields that a mail tells of. */
function changedFields(context: MailContext, viewer: MailViewer, shown: readonly Row[]): string[] {
  const { change } = context;
  const created = [...change.created].some(
    (id) => viewer.isInsider || change.attachments.get(id)?.is_private === false,
  );
  const isNew = change.kind === 'created';
  return [
    ...(isNew ? newBugFields(change, viewer.isTimeTracker).map(({ name }) => name) : []),
    ...shown.map(({ name }) => name),
    ...(created ? ['attachments.created'] : []),
  ];
}

/** The text of a mail, without the reasons. */
function bodyOf(
  context: MailContext,
  viewer: MailViewer,
  rows: readonly Row[],
  comments: readonly CommentItem[],
  related: readonly BugItem[],
): string {
  const { change, rules, users } = context;
  const { bug, kind } = change;
  const isNew = kind === 'created';
  const changes =
    rows.length === 0 ? '' : `\n${identityOf(change.who, users)} changed:\n\n${changeTable(rows)}`;
  const fields = isNew
    ? `\n${fieldTable([...newBugFields(change, viewer.isTimeTracker), ...rows.map(({ label, added }) => ({ label, value: added }))])}`
    : changes;
  const texts = comments.map(
    (comment) => `\n${commentText(comment, identityOf(comment.creator, users), context, isNew)}\n`,
  );
  return [
    `${bugUrl(rules.base, bug.id)}\n`,
    fields,
    ...texts,
    related.length === 0
      ? '\n'
      : `\n\nReferenced Bugs:\n\n${related.map((one) => referenceTo(one, rules)).join('')}`,
  ].join('');
}

const referenceTo = ({ id, summary }: BugItem, { base }: MailRules): string =>
  `${bugUrl(base, id)}\n${wrapText(`[Bug ${id}] ${summary}`)}\n`;

/** A field of a new bug. */
interface ShownField {
  /** the internal one */
  name: string;
  label: string;
  value: string;
}

/** The fields of a new bug that are not empty, in the order of mails. functions/mail/README.md 2 */
function newBugFields({ bug, place, fields }: PublishedChange, isTimeTracker: boolean): ShownField[] {
  const list = (values: readonly (string | number)[]) => values.join(', ');
  const values: [name: string, value: string][] = [
    ['bug_id', String(bug.id)],
    ['short_desc', bug.summary],
    ['classification', place.classification],
    ['product', place.product],
    ['version', bug.version],
    ['rep_platform', bug.platform],
    ['bug_file_loc', bug.url],
    ['op_sys', bug.op_sys],
    ['bug_status', bug.status],
    ['status_whiteboard', bug.whiteboard],
    ['keywords', list(bug.keywords.toSorted(compareNames))],
    ['bug_severity', bug.severity],
    ['priority', bug.priority],
    ['component', place.component],
    ['assigned_to', bug.assigned_to],
    ['reporter', bug.reporter],
    ['qa_contact', bug.qa_contact],
    ['cc', list(bug.cc.toSorted(compareNames))],
    ['dependson', list(bug.depends_on)],
    ['blocked', list(bug.blocks)],
    ['target_milestone', bug.target_milestone],
    ['bug_group', list(bug.groups.toSorted(compareNames))],
    ['estimated_time', isTimeTracker && bug.estimated_time !== 0 ? bug.estimated_time.toFixed(2) : ''],
    ['deadline', bug.deadline ?? ''],
  ];
  return values
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, label: labelOf(name, fields), value }));
}
