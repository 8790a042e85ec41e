import { accountEntry } from '../../lib/changes/mail/account-messages.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { unmailedKeys } from '../../lib/people/sessions.ts';
import type { AccountServices } from './services.ts';

/**
 * Mails the owner of new API keys, after they were stored. What fails is logged, and sent again when the owner signs in, or lists
 * the keys. README.md 2
 *
 * @param keys by default those whose mails failed before
 * @returns whether all mails are on their way
 */
export async function mailNewKeys(
  { bus, sessions, logger }: AccountServices,
  { requestId }: BugzillaRequest,
  login: string,
  keys?: readonly { hash: string; description: string }[],
): Promise<boolean> {
  try {
    for (const { hash, description } of keys ?? (await unmailedKeys(sessions, login))) {
      await bus?.put([accountEntry({ kind: 'key', login, description })]);
      await sessions.accounts.setMailed(login, hash);
    }
    return true;
  } catch (cause) {
    logger.error('A user could not be mailed about a new API key', { requestId, cause });
    return false;
  }
}
