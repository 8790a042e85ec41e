import * as z from 'zod/mini';
import { boolean, nullAsBlank, type Parameter, param, text } from '../base/parameters.ts';

/** What a field holds: how it is given, checked and shown follows from it. */
type UserFieldKind = 'text' | 'switch';

/** The value of a field, stored or given. */
export type UserValue = string | boolean;

/** One row of the registry: with its texts it says everything about a field of users that has no rules of its own. */
interface UserField {
  /** of the attribute of the stored user, in responses, preferences and catalogues, and in a Bugzilla */
  name: string;
  kind: UserFieldKind;
  /** of the attribute */
  stored: z.ZodMiniType<UserValue | undefined>;
  default: UserValue;
  /** who sees it in lists of users; absent: all. Users see and change it in their preferences */
  seenBy?: 'administrators';
  /** of `PUT /rest/user`; changes and the audit log have this name, too */
  parameter: string;
  /** the name of its opposite, which changes and the audit log have instead */
  opposite?: string;
}

/** Those that all see stand with the login. They are stored of every user: one that is added later has a default in the schema. */
const PUBLIC_ROWS = [
  {
    name: 'real_name',
    kind: 'text',
    stored: z.string(),
    default: '',
    parameter: 'full_name',
  },
] as const satisfies readonly UserField[];

/** The others may be absent from a stored user: they have the default then. */
const OWN_ROWS = [
  {
    name: 'email_enabled',
    kind: 'switch',
    stored: z.optional(z.boolean()),
    default: true,
    seenBy: 'administrators',
    parameter: 'email_enabled',
    opposite: 'disable_mail',
  },
] as const satisfies readonly (UserField & { seenBy: string })[];

type Row = (typeof PUBLIC_ROWS)[number] | (typeof OWN_ROWS)[number];
export type UserFieldName = Row['name'];

// Texts stand beside the rows: bundles that do not need them do not have them.

type Texts = Readonly<Partial<Record<UserFieldName, string>>>;

/** What the parameters of `PUT /rest/user` are, where there is more to say than how long a text may be. */
const UPDATED_TEXTS: Texts = {
  email_enabled: 'Whether mails are sent to the user, where the deployment sends some.',
};

/** What preferences are. */
export const PREFERENCE_TEXTS: Texts = { email_enabled: 'Whether mails about bugs are sent to the user.' };

/** What the interface document says of the fields in the response of `GET /rest/whoami`. */
export const WHOAMI_TEXTS: Texts = { email_enabled: 'Whether mails are sent to the user.' };

/** For the interface document. */
export const USER_FIELD_EXAMPLES: Readonly<Record<UserFieldName, UserValue>> = {
  real_name: 'Dev Developer',
  email_enabled: true,
};

/** Options of `npm run admin -- user`; `off`: what the negated option of a switch does. */
export const USER_FIELD_OPTIONS: Readonly<
  Record<UserFieldName, { flags: string; text: string; off?: string }>
> = {
  real_name: { flags: '--name <NAME>', text: 'real name' },
  email_enabled: { flags: '--mail', text: 'undo --no-mail', off: 'send no mails to the user' },
};

/** The rows of fields with these names. */
type RowOf<N extends UserFieldName> = Extract<Row, { name: N }>;

/** The value that a row's field has where it is known. */
type ValueOf<R extends UserField> = R['kind'] extends 'text' ? string : boolean;

/** Values of fields. */
export type UserValues<N extends UserFieldName = UserFieldName> = {
  [R in RowOf<N> as R['name']]: ValueOf<R>;
};

type StoredShape<N extends UserFieldName> = { [R in RowOf<N> as R['name']]: R['stored'] };

/** The attributes of a stored user that fields have. */
export type StoredValues = z.infer<z.ZodMiniObject<StoredShape<UserFieldName>>>;

/** A field of the registry: its names are known. */
export interface RegisteredField<N extends UserFieldName = UserFieldName> extends UserField {
  name: N;
  parameter: Row['parameter'];
}

export const PUBLIC_FIELDS: readonly RegisteredField<(typeof PUBLIC_ROWS)[number]['name']>[] = PUBLIC_ROWS;
export const OWN_FIELDS: readonly RegisteredField<(typeof OWN_ROWS)[number]['name']>[] = OWN_ROWS;
export const USER_FIELDS: readonly RegisteredField[] = [...PUBLIC_ROWS, ...OWN_ROWS];

/** An object with something of each of these fields, by their names. */
export function byName<N extends UserFieldName, V>(
  fields: readonly RegisteredField<N>[],
  of: (field: RegisteredField<N>) => V,
): Record<N, V>;
export function byName(fields: readonly RegisteredField[], of: (field: RegisteredField) => unknown): object {
  return Object.fromEntries(fields.map((field) => [field.name, of(field)]));
}

/** An object with what fits the kind of each of these fields, by their names: a shape for zod. */
export function byKind<N extends UserFieldName, T, S>(
  fields: readonly RegisteredField<N>[],
  of: { text: T; switch: S },
): { [R in RowOf<N> as R['name']]: R['kind'] extends 'text' ? T : S };
export function byKind(fields: readonly RegisteredField[], of: Record<UserFieldKind, unknown>): object {
  return byName(fields, ({ kind }) => of[kind]);
}

/** The values of these fields, without those that are undefined. */
export function givenValues<N extends UserFieldName>(
  fields: readonly RegisteredField<N>[],
  of: (field: RegisteredField<N>) => UserValue | undefined,
): Partial<UserValues<N>>;
export function givenValues(
  fields: readonly RegisteredField[],
  of: (field: RegisteredField) => UserValue | undefined,
): object {
  return Object.fromEntries(Object.entries(byName(fields, of)).filter(([, value]) => value !== undefined));
}

/** The value of a field of a stored user. */
export const valueIn = (
  user: Readonly<Partial<Record<UserFieldName, UserValue | undefined>>>,
  field: RegisteredField,
): UserValue => user[field.name] ?? field.default;

/** The values of these fields of a stored user, by their names. */
export function shownValues<N extends UserFieldName>(
  fields: readonly RegisteredField<N>[],
  user: Partial<StoredValues>,
): UserValues<N>;
export function shownValues(fields: readonly RegisteredField[], user: Partial<StoredValues>): object {
  return byName(fields, (field) => valueIn(user, field));
}

/** The attributes of a new user of whom nothing is given. */
export const NEW_VALUES = /* @__PURE__ */ shownValues(PUBLIC_FIELDS, {});

/** A user as it is stored with other values of these fields. */
export function withValues<T extends object, N extends UserFieldName>(
  user: T,
  fields: readonly RegisteredField<N>[],
  of: (field: RegisteredField<N>) => UserValue,
): T;
export function withValues(
  user: object,
  fields: readonly RegisteredField[],
  of: (field: RegisteredField) => UserValue,
): object {
  const stored: Record<string, unknown> = { ...user };
  for (const field of fields) {
    const value = of(field);
    if (field.seenBy !== undefined && value === field.default) delete stored[field.name];
    else stored[field.name] = value;
  }
  return stored;
}

/** The attributes of a stored user that these fields have, as a shape for zod. */
export function storedShape<N extends UserFieldName>(fields: readonly RegisteredField<N>[]): StoredShape<N>;
export function storedShape(fields: readonly RegisteredField[]): object {
  return byName(fields, (field) => field.stored);
}

/** In characters. */
export const MAX_FIELD_LENGTH = 255;

type ParameterOf<R extends UserField> = Parameter<z.ZodMiniOptional<z.ZodMiniType<ValueOf<R>>>>;

/** The parameters of `PUT /rest/user` that change these fields. */
export function updateParameters<N extends UserFieldName>(
  fields: readonly RegisteredField<N>[],
): { [R in RowOf<N> as R['parameter']]: ParameterOf<R> };
export function updateParameters(fields: readonly RegisteredField[]): object {
  return Object.fromEntries(
    fields.map((field) => [field.parameter, parameterOf(field, UPDATED_TEXTS[field.name])]),
  );
}

/** The parameters that change preferences. */
export function preferenceParameters(): { [R in Row as R['name']]: ParameterOf<R> };
export function preferenceParameters(): object {
  return byName(USER_FIELDS, (field) => parameterOf(field, PREFERENCE_TEXTS[field.name]));
}

const parameterOf = ({ kind, name }: RegisteredField, about = ''): Parameter =>
  kind === 'text'
    ? param(nullAsBlank(text), about || `At most ${MAX_FIELD_LENGTH} characters.`, {
        example: USER_FIELD_EXAMPLES[name],
      })
    : param(nullAsBlank(boolean), about);
