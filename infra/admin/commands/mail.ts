import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Command } from 'commander';
import { ADDRESS } from '../../../lib/changes/mail/options.ts';
import { type Context, type GlobalOptions, print, UsageError } from '../context.ts';
import { settingsOfStack } from '../stack-table.ts';
import { eventsOfStage } from '../stage-events.ts';

/** `mail test ADDRESS` */
export function mailCommand(program: Command, _open: () => Promise<Context>): void {
  program
    .command('mail')
    .description('try mails')
    .command('test')
    .description('send a mail by Amazon SES to an address, from that of --stack, or of a stage’s file')
    .argument('<ADDRESS>')
    .option('--stage <FILE>', 'such as infra/stages/prod.json: before a first deployment')
    .action(async (address: string, { stage }: { stage?: string }) => {
      const { region, stack, json } = program.opts<GlobalOptions>();
      if (!ADDRESS.test(address)) throw new UsageError(`'${address}' is no email address`);
      if (region !== undefined) process.env['AWS_REGION'] = region;
      const sender = await senderOf(stack, stage);
      const { MessageId } = await new SESv2Client({}).send(
        new SendEmailCommand({
          ...{ FromEmailAddress: sender.from, Destination: { ToAddresses: [address] } },
          ...(sender.replyTo === undefined ? {} : { ReplyToAddresses: [sender.replyTo] }),
          Content: { Simple: { Subject: { Data: 'Bugless: a test' }, Body: { Text: { Data: TEXT } } } },
        }),
      );
      const line = `Amazon SES has taken a mail from ${sender.from} to ${address}: ${MessageId}`;
      print({ isJson: json ?? false }, { from: sender.from, to: address, id: MessageId }, [line]);
    });
}

const TEXT = 'Mails of Bugless reach you.\n';

async function senderOf(stack: string | undefined, stage: string | undefined) {
  if (stage !== undefined) {
    const mail = eventsOfStage(stage).mail;
    if (mail === undefined) throw new Error(`${stage} has no mail`);
    return mail;
  }
  if (stack === undefined)
    throw new UsageError('Name --stack NAME, or --stage FILE before a first deployment');
  const { MAIL_FROM: from, MAIL_REPLY_TO: replyTo } = await settingsOfStack(stack);
  if (from === undefined) throw new Error(`The stack '${stack}' is deployed without mail`);
  return { from, replyTo };
}
