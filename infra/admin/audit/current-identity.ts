import { hostname, userInfo } from 'node:os';

/** For a network that does not reach AWS STS. */
const TIMEOUT_MS = 3_000;

/**
 * Who runs this process.
 *
 * @param isAws whether AWS knows the credentials: a DynamoDB on this machine takes any
 * @returns `arn:aws:sts::123456789012:assumed-role/Admin/ann (ann@laptop)`, or the part in parentheses
 */
export async function currentIdentity(isAws: boolean): Promise<string> {
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
