import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import type { Command } from 'commander';
import { escapeInvisible, isAllDigits } from '../../../lib/base/text.ts';
import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { eventBus } from '../../../lib/changes/events/bus.ts';
import { eventRepositories } from '../../../lib/changes/events/change.ts';
import { type FailedReplay, replayEvents } from '../../../lib/changes/events/replay.ts';
import { identityOf, type MailOptions } from '../../../lib/changes/mail/options.ts';
import { audited } from '../audit/audited.ts';
import { type Context, type GlobalOptions, NO_BUS, print, UsageError } from '../context.ts';
import { requireTime } from '../option-values.ts';
import { progressBar } from '../progress.ts';
import { eventsOfStage } from '../stage-events.ts';
import { failedEventsCommands } from './failed-events.ts';

interface ReplayOptions {
  since: string;
  until?: string;
  bug?: string;
  webhook?: string;
  mail?: boolean;
}

/** `events replay --since TIME --until TIME --bug ID`, `events failed`, `events redrive`, `events check --stage FILE` */
export function eventsCommand(program: Command, open: () => Promise<Context>): void {
  const events = program.command('events').description('send events again, and see which failed');
  events
    .command('replay')
    .description('send the events of all changes since a time again, with the ids that they had')
    .requiredOption('--since <TIME>', 'such as 2026-01-02T03:04:05Z')
    .option('--until <TIME>', 'no later changes')
    .option('--bug <ID>', 'of this bug only')
    .option('--webhook <NAME>', 'to this webhook only')
    .option('--mail', 'mail what was not mailed within 15 days, too')
    .action(async (options: ReplayOptions) => replay(await open(), options));
  failedEventsCommands(events, open);
  checkEventsCommand(events, program);
}

async function replay(context: Context, options: ReplayOptions): Promise<void> {
  const { webhook, mail } = options;
  const since = requireTime(options.since);
  const until = options.until === undefined ? undefined : requireTime(options.until);
  if (until !== undefined && until < since) throw new UsageError('--until is before --since');
  const bug = options.bug === undefined ? undefined : await requireBug(options.bug, context);
  if (context.bus === undefined) throw new Error(NO_BUS);
  const { name, endpoint } = context.bus;
  const bar = progressBar(process.stderr, context.isJson);
  const sources = eventRepositories(context.table, context.table.now);
  const failed: FailedReplay[] = [];
  const report = {
    sent: (done: number) => bar.report({ kind: 'events', done, total: undefined }),
    failed(failure: FailedReplay) {
      failed.push(failure);
      bar.end();
      console.error(escapeInvisible(failureLine(failure)));
    },
  };
  const wanted = { since, until, bug, webhook, mail };
  const events = await audited(context, async (notes) => {
    const sent = await replayEvents(sources, eventBus(name, endpoint), wanted, report).finally(bar.end);
    notes.counts = { events: sent, failed: failed.length };
    return sent;
  });
  const shown = failed.map(({ bug, revision, error }) => ({ bug, revision, error: messageOf(error) }));
  print(context, { events, ...(shown.length === 0 ? {} : { failed: shown }) }, [`Sent ${events} events`]);
  if (failed.length > 0) throw new Error(`${failed.length} changes could not be sent`);
}

/** The id of a bug that exists. */
async function requireBug(given: string, { table }: Context): Promise<number> {
  if (!isAllDigits(given)) throw new UsageError(`'${given}' is no id of a bug`);
  const bug = await bugRepository(table, table.now).byId(Number(given));
  if (bug === undefined) throw new Error(`there is no bug ${given}`);
  return bug.id;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failureLine = ({ bug, revision, error }: FailedReplay): string =>
  `failed  bug ${bug}${revision === undefined ? '' : `, revision ${revision}`}: ${messageOf(error)}`;

/** `events check --stage FILE` */
const checkEventsCommand = (events: Command, program: Command): Command =>
  events
    .command('check')
    .description('check, before a deployment, that the secrets and the sender of a stage’s file exist')
    .requiredOption('--stage <FILE>', 'such as infra/stages/prod.json')
    .action(async ({ stage }: { stage: string }) => {
      const { region, json } = program.opts<GlobalOptions>();
      if (region !== undefined) process.env['AWS_REGION'] = region;
      const findings = await check(eventsOfStage(stage));
      const lines = findings.map(({ what, problem }) =>
        problem === undefined ? `ok  ${what}` : `--  ${what}: ${problem}`,
      );
      print({ isJson: json ?? false }, findings, lines.length === 0 ? [NOTHING] : lines);
      const problems = findings.filter(({ problem }) => problem !== undefined).length;
      if (problems > 0)
        throw new Error(`${problems} of ${findings.length} must be corrected before the deployment`);
    });

const NOTHING = 'The file has neither webhooks nor mail: nothing to check';

async function check({ webhooks, mail }: ReturnType<typeof eventsOfStage>) {
  const secrets = new Set(webhooks.map(({ secret }) => secret));
  const found = await Array.fromAsync(secrets, (one) => find(`secret ${one}`, () => secretProblem(one)));
  return mail === undefined ? found : [...found, ...(await checkMail(mail))];
}

async function secretProblem(SecretId: string): Promise<string | undefined> {
  const { DeletedDate } = await new SecretsManagerClient({}).send(new DescribeSecretCommand({ SecretId }));
  return DeletedDate === undefined ? undefined : 'it is going to be deleted';
}

const HOURS_A_DAY = 24;

async function checkMail(mail: MailOptions) {
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

/** What a deployment needs, and what is wrong with it; undefined: nothing. @throws Error when there are no credentials, or no region */
async function find(what: string, problemOf: () => Promise<string | undefined>) {
  try {
    return { what, problem: await problemOf() };
  } catch (error) {
    if (!(error instanceof Error) || !('$metadata' in error)) throw error;
    return { what, problem: ABSENT.has(error.name) ? 'it does not exist in this region' : error.message };
  }
}
