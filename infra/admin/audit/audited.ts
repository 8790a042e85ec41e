import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { timestamp } from '../../../lib/base/time.ts';
import { type AuditChange, type AuditEntry, auditRepository } from '../../../lib/people/audit/repository.ts';
import { VERSION } from '../../../lib/version.ts';
import type { Context } from '../context.ts';

/** What an entry has of what was written: the work notes it. */
export interface AuditNotes {
  /** how many, by what it is; zeros are left out */
  counts: Readonly<Record<string, number>>;
  /** ids of the bugs whose fields were changed */
  bugs: readonly number[];
  /** values before and after */
  changes: AuditChange[];
}

/** Ids of bugs in an entry. */
const MAX_BUGS_AN_ENTRY = 100;

/**
 * Runs a command that writes, with an entry of the audit log: written before it, so that an interrupted command has one, and
 * completed after it.
 *
 * @throws what `work` throws
 */
export async function audited<T>(
  { table, settings, command }: Pick<Context, 'table' | 'settings' | 'command'>,
  work: (notes: AuditNotes) => Promise<T>,
): Promise<T> {
  const repository = auditRepository(table);
  const token = randomUUID();
  const who = await currentIdentity(settings.DYNAMODB_ENDPOINT === undefined);
  const entry = { time: timestamp(table.now()), who, command, version: VERSION };
  const record = (rest: Pick<AuditEntry, 'state' | 'counts' | 'bugs' | 'changes'>) =>
    repository.put({ ...entry, ...rest }, token);
  await record({ state: 'begun' });
  const notes: AuditNotes = { counts: {}, bugs: [], changes: [] };
  let result: T;
  try {
    result = await work(notes);
  } catch (error) {
    // The error of the command is the one to report.
    await record({ state: 'failed' }).catch(() => undefined);
    throw error;
  }
  const counts = Object.fromEntries(Object.entries(notes.counts).filter(([, count]) => count > 0));
  const bugs = notes.bugs.slice(0, MAX_BUGS_AN_ENTRY);
  const { changes } = notes;
  await record({
    ...{ state: 'done', counts },
    ...(bugs.length > 0 && { bugs }),
    ...(changes.length > 0 && { changes }),
  });
  return result;
}

/** For a network that does not reach AWS STS. */
const TIMEOUT_MS = 3_000;

/**
 * Who runs this process.
 *
 * @param isAws whether AWS knows the credentials: a DynamoDB on this machine takes any
 * @returns `arn:aws:sts::123456789012:assumed-role/Admin/ann (ann@laptop)`, or the part in parentheses
 */
async function currentIdentity(isAws: boolean): Promise<string> {
  const local = `${localUser()}@${hostname()}`;
  const arn = isAws ? await callerArn() : undefined;
  return arn === undefined ? local : `${arn} (${local})`;
}

/** The name of the user of this machine; a user without one, as in containers, has a number. */
function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** The identity of the credentials; undefined where AWS STS cannot be reached: it is no reason to refuse a command. */
async function callerArn(): Promise<string | undefined> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient({ maxAttempts: 1 });
  const abortSignal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return (await client.send(new GetCallerIdentityCommand({}), { abortSignal })).Arn;
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}
