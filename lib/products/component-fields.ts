import * as z from 'zod/mini';

/** What a field holds: how it is given, checked and shown follows from it. */
export type ComponentFieldKind = 'text' | 'login' | 'login or none' | 'logins';

/** The value of a field, stored or given. */
export type ComponentValue = string | string[];

/** One row of the registry: it says everything about a field that components have, and versions and milestones have not. */
export interface ComponentField {
  /** of the attribute of the stored component, in responses with products, and in catalogues */
  name: string;
  kind: ComponentFieldKind;
  /** of the attribute; that of a shown field that is added later has a default, for components stored without it */
  stored: z.ZodMiniType<string | string[] | undefined>;
  /** the name in requests that create or change a component, and in their responses */
  parameter: string;
  /** what responses with products say of it, for the interface document; absent: they do not have it */
  shown?: string;
  /** for the interface document: what a request gives for a new component, and for one that exists */
  created: { text: string; example?: string };
  updated: { text: string; example?: string };
  /** what somebody whose login it has does in the component */
  duty?: 'default assignee' | 'default QA contact' | 'default CC';
  /** of `npm run admin -- component` */
  option: { flags: string; text: string };
}

const ROWS = [
  {
    name: 'description',
    kind: 'text',
    stored: z.string(),
    parameter: 'description',
    shown: 'May contain HTML.',
    created: { text: 'What it is.', example: 'The primary mirror' },
    updated: { text: 'A new description.', example: 'The primary mirror' },
    option: { flags: '--description <TEXT>', text: 'what it is' },
  },
  {
    name: 'default_assigned_to',
    kind: 'login',
    stored: z.string(),
    parameter: 'default_assignee',
    shown: 'The login of the default assignee.',
    created: { text: 'A login.', example: 'dev@bugless.example' },
    updated: { text: 'A login.' },
    duty: 'default assignee',
    option: { flags: '--assignee <LOGIN>', text: 'whom new bugs are assigned to' },
  },
  {
    name: 'default_qa_contact',
    kind: 'login or none',
    stored: z.string(),
    parameter: 'default_qa_contact',
    shown: 'A login; empty without a default QA contact.',
    created: { text: 'A login.' },
    updated: { text: 'A login; empty: none.' },
    duty: 'default QA contact',
    option: { flags: '--qa-contact <LOGIN>', text: "QA contact of new bugs; '' for none" },
  },
  {
    name: 'default_cc',
    kind: 'logins',
    stored: z.optional(z.array(z.string())),
    parameter: 'default_cc',
    created: { text: 'Logins that new bugs have on CC.' },
    updated: { text: 'All logins that new bugs have on CC.' },
    duty: 'default CC',
    option: { flags: '--cc <LOGIN>', text: 'a user whom new bugs have on CC; repeatable' },
  },
] as const satisfies readonly ComponentField[];
type Row = (typeof ROWS)[number];

/** The name of a field in requests. */
export type ComponentParameter = Row['parameter'];

/** A field of the registry: its names are known. */
interface RegisteredField extends ComponentField {
  name: Row['name'];
  parameter: ComponentParameter;
}

/** The fields of the registry, in the order in which responses have them. */
export const COMPONENT_FIELDS: readonly RegisteredField[] = ROWS;

/** An object with something of each field, by the names of their attributes. */
export function byAttribute<V>(of: (field: RegisteredField) => V): Record<Row['name'], V>;
export function byAttribute(of: (field: RegisteredField) => unknown): object {
  return Object.fromEntries(COMPONENT_FIELDS.map((field) => [field.name, of(field)]));
}

/** A field that responses with products have. */
interface ShownField extends RegisteredField {
  name: Extract<Row, { shown: string }>['name'];
  shown: string;
}
const isShown = (field: RegisteredField): field is ShownField => field.shown !== undefined;

/** The fields that responses with products have. */
export const SHOWN_COMPONENT_FIELDS: readonly ShownField[] = COMPONENT_FIELDS.filter(isShown);

/** An object with something of each of these, by the names of their attributes. */
export function byShownAttribute<V>(of: (field: ShownField) => V): Record<ShownField['name'], V>;
export function byShownAttribute(of: (field: ShownField) => unknown): object {
  return Object.fromEntries(SHOWN_COMPONENT_FIELDS.map((field) => [field.name, of(field)]));
}

/** An object with something of each field, by the names of their parameters. */
export function byParameter<V>(of: (field: RegisteredField) => V): Record<ComponentParameter, V>;
export function byParameter(of: (field: RegisteredField) => unknown): object {
  return Object.fromEntries(COMPONENT_FIELDS.map((field) => [field.parameter, of(field)]));
}

type StoredShape = { [R in Row as R['name']]: R['stored'] };

/** The attributes of a stored component that the fields have, as a shape for zod. */
export function storedComponentShape(): StoredShape;
export function storedComponentShape(): object {
  return byAttribute(({ stored }) => stored);
}

/** The value of a field without one. */
export const emptyValue = ({ kind }: ComponentField): ComponentValue => (kind === 'logins' ? [] : '');

/** The value of a field of a stored component, or of a new one. */
export const componentValue = (
  component: Readonly<Partial<Record<Row['name'], ComponentValue | undefined>>>,
  field: RegisteredField,
): ComponentValue => component[field.name] ?? emptyValue(field);

/** The attributes of a new component where nothing is given; an empty list is not stored. */
export const EMPTY_COMPONENT: Readonly<Record<string, ComponentValue>> = Object.fromEntries(
  COMPONENT_FIELDS.flatMap((field) => (field.kind === 'logins' ? [] : [[field.name, emptyValue(field)]])),
);
