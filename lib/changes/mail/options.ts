import * as z from 'zod/mini';

/** An address of a mail, as far as it is checked. */
export const ADDRESS = /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/;
const address = z
  .string('must be an email address')
  .check(z.regex(ADDRESS, 'must be an email address'), z.maxLength(320));

/** The option `mail` of a stage's file. infra/README.md, "Mail" */
export const mailSchema = z.strictObject(
  {
    from: address,
    replyTo: z.optional(address),
    /** of Amazon SES: an ARN, a domain or an address; by default the domain of `from` */
    identity: z.optional(
      z
        .string('must be an identity of SES')
        .check(
          z.regex(
            /^(arn:[^:]+:ses:[^:]+:\d{12}:identity\/\S+|[^\s@:/]+@[^\s@:/]+|[a-z0-9-]+(\.[a-z0-9-]+)+)$/,
            'must be the ARN, the domain or the address of an identity of SES',
          ),
        ),
    ),
    /** that SES uses for the identity by default, so that the function may send with it */
    configurationSet: z.optional(
      z
        .string('must be the name of a configuration set')
        .check(z.regex(/^[\w-]{1,64}$/, 'must be the name of a configuration set of SES')),
    ),
  },
  'must be an object',
);

/** How mails are sent. */
export interface MailOptions extends Readonly<z.output<typeof mailSchema>> {
  /** mails that are sent in an hour at most */
  perHour: number;
}

/** Mails that are sent in an hour at most, where the stage's file does not say. */
export const MAILS_PER_HOUR = 1_000;

/** The identity in Amazon SES that mails are sent from: an ARN, a domain or an address. */
export const identityOf = ({ from, identity }: Pick<MailOptions, 'from' | 'identity'>): string =>
  identity ?? from.split('@').at(-1) ?? from;
