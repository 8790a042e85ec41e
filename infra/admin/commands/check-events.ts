import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import type { Command } from 'commander';
import { identityOf, type MailOptions } from '../../../lib/changes/mail/options.ts';
import { type GlobalOptions, print } from '../context.ts';
import { eventsOfStage } from '../stage-events.ts';

/** What a deployment needs, and what is wrong with it. */
interface Finding {
  what: string;
  /** absent: nothing */
  problem?: string;
}

/** `events check --stage FILE` */
export const checkEventsCommand = (events: Command, program: Command): Command =>
  events
    .command('check')
    .description('check, before a deployment, that the secrets and the sender of a stage’s file exist')
    .requiredOption('--stage <FILE>', 'such as infra/stages/prod.json')
    .action(async ({ stage }: { stage: string }) => {
      const { region, json } = program.opts<GlobalOptions>();
      if (region !== undefined) process.env['AWS_REGION'] = region;
      const findings = await check(eventsOfStage(stage));
      const line = ({ what, problem }: Finding) =>
        problem === undefined ? `ok  ${what}` : `--  ${what}: ${problem}`;
      print({ isJson: json ?? false }, findings, findings.length === 0 ? [NOTHING] : findings.map(line));
      const problems = findings.filter(({ problem }) => problem !== undefined).length;
      if (problems > 0)
        throw new Error(`${problems} of ${findings.length} must be corrected before the deployment`);
    });

const NOTHING = 'The file has neither webhooks nor mail: nothing to check';

async function check({ webhooks, mail }: ReturnType<typeof eventsOfStage>): Promise<Finding[]> {
  const secrets = new Set(webhooks.map(({ secret }) => secret));
  const findings: Finding[] = [];
  for (const secret of secrets) findings.push(await find(`secret ${secret}`, () => secretProblem(secret)));
  if (mail !== undefined) findings.push(...(await checkMail(mail)));
  return findings;
}

async function secretProblem(SecretId: string): Promise<string | undefined> {
  const { DeletedDate } = await new SecretsManagerClient({}).send(new DescribeSecretCommand({ SecretId }));
  return DeletedDate === undefined ? undefined : 'it is going to be deleted';
}

const HOURS_A_DAY = 24;

async function checkMail(mail: MailOptions): Promise<Finding[]> {
  const client = new SESv2Client({});
  const identity = identityOf(mail).replace(/^arn:.*:identity\//, '');
  const { configurationSet } = mail;
  const findings = [
    await find(`identity ${identity}`, async () => {
      const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity: identity }));
      return found.VerifiedForSendingStatus === true ? undefined : 'Amazon SES has not verified it';
    }),
    await find('Amazon SES', async () => {
      const account = await client.send(new GetAccountCommand({}));
      if (account.SendingEnabled === false) return 'sending is paused';
      if (account.ProductionAccessEnabled !== true) {
        return 'the account is in the sandbox: mails reach verified addresses only';
      }
      const quota = account.SendQuota?.Max24HourSend ?? 0;
      return quota >= 0 && quota < mail.perHour * HOURS_A_DAY
        ? `its quota of ${quota} mails a day is less than mailPerHour for a day, ${mail.perHour * HOURS_A_DAY}`
        : undefined;
    }),
  ];
  if (configurationSet === undefined) return findings;
  const found = await find(`configuration set ${configurationSet}`, async () => {
    await client.send(new GetConfigurationSetCommand({ ConfigurationSetName: configurationSet }));
    return undefined;
  });
  return [...findings, found];
}

const ABSENT: ReadonlySet<string> = new Set(['ResourceNotFoundException', 'NotFoundException']);

/** @throws Error when there are no credentials, or no region */
async function find(what: string, problemOf: () => Promise<string | undefined>): Promise<Finding> {
  try {
    const problem = await problemOf();
    return problem === undefined ? { what } : { what, problem };
  } catch (error) {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    return { what, problem: ABSENT.has(error.name) ? 'it does not exist in this region' : error.message };
  }
}
