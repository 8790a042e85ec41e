import { namedFlags, searchedFlags } from '../../bugs/flags/set-flags.ts';
import { bugUrl } from '../../bugs/see-also.ts';
import type { UserItem } from '../../people/schema.ts';
import { availableTypes } from '../../products/schema.ts';
import { flagTypesOf } from '../events/change.ts';
import type { Mail, MailContext } from './context.ts';
import type { Reasons } from './recipients.ts';

/**
 * The headers that say what a bug is, by which people filter, and that make the mails of a bug one thread of the recipient. Amazon
 * SES makes the ids of messages, so the first mail refers to the same message as all others, which does not exist.
 * functions/mail/README.md 2
 */
export function bugHeaders(
  { change, rules }: Pick<MailContext, 'change' | 'rules'>,
  user: UserItem,
): Record<string, string> {
  const { bug, place, who } = change;
  const thread = `<bug-${bug.id}-${user.id}@${new URL(rules.base).hostname}>`;
  const flags = namedFlags(bug.flags, availableTypes(flagTypesOf(change), 'bug', bug.component_id));
  return {
    'X-Bugzilla-Classification': place.classification,
    'X-Bugzilla-Product': place.product,
    'X-Bugzilla-Component': place.component,
    'X-Bugzilla-Version': bug.version,
    'X-Bugzilla-Keywords': bug.keywords.join(', '),
    'X-Bugzilla-Severity': bug.severity,
    'X-Bugzilla-ID': String(bug.id),
    'X-Bugzilla-Who': who,
    'X-Bugzilla-Status': bug.status,
    'X-Bugzilla-Resolution': bug.resolution,
    'X-Bugzilla-Priority': bug.priority,
    'X-Bugzilla-Assigned-To': bug.assigned_to,
    'X-Bugzilla-Target-Milestone': bug.target_milestone,
    'X-Bugzilla-Flags': searchedFlags(flags).join(' '),
    'X-Bugzilla-URL': rules.base,
    'Auto-Submitted': 'auto-generated',
    'In-Reply-To': thread,
    References: thread,
    ...unsubscribeHeaders(rules, user, bug.id),
  };
}

/** How mails are turned off: by one click (RFC 8058), or on the page of the bug, where its CC list is left. */
function unsubscribeHeaders({ base, unsubscribeUrl }: MailContext['rules'], user: UserItem, bug: number) {
  if (unsubscribeUrl === undefined) return { 'List-Unsubscribe': `<${bugUrl(base, bug)}>` };
  return {
    'List-Unsubscribe': `<${unsubscribeUrl(user)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** The headers that say why somebody gets a mail. @param fields internal names of what changed */
export const reasonHeaders = (
  { own, watched, logins }: Reasons,
  type: Mail['type'],
  fields: readonly string[],
) => ({
  'X-Bugzilla-Reason': own.length === 0 ? 'None' : own.join(' '),
  'X-Bugzilla-Type': type,
  'X-Bugzilla-Watch-Reason': [...(watched.length === 0 ? ['None'] : watched), ...logins].join(' '),
  'X-Bugzilla-Changed-Fields': [...new Set(fields)].join(' '),
});
