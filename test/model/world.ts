import type { CompleteBug, CompleteCatalogue, CompleteProduct } from '../support/complete-catalogue.ts';

/** The state of the model, in the format of responses. functions/README.md 4. */
export interface World {
  products: Product[];
  bugs: Bug[];
  /** the spelling of each tag in searches, by normalized tag */
  spellings: Map<string, string>;
}

export interface Product extends Omit<CompleteProduct, 'components' | 'flag_types' | 'description_template'> {
  components: (CompleteProduct['components'][number] & {
    flag_types: { bug: object[]; attachment: object[] };
  })[];
}

export interface Bug {
  id: number;
  alias: string[];
  /** its id, because the name may change */
  product: number;
  component: string;
  version: string;
  summary: string;
  creator: string;
  assigned_to: string;
  qa_contact: string;
  cc: string[];
  groups: string[];
  status: string;
  resolution: string;
  is_confirmed: boolean;
  whiteboard: string;
  target_milestone: string;
  hours_worked: number;
  hours_left: number;
  comments: Comment[];
  /** time of the last change of a field; '' if there is none */
  changed: string;
  history: Change[];
}

interface Change {
  when: string;
  who: string;
  changes: FieldChange[];
}

export interface FieldChange {
  field_name: string;
  removed: string;
  added: string;
}

export interface Comment {
  id: number;
  text: string;
  creator: string;
  time: string;
  is_private: boolean;
  attachment_id: number | null;
  tags: string[];
}

/** Names, aliases, logins and tags match in any case. functions/README.md 4. */
export const normalized = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Whether texts are equal, ignoring case. */
export const same = (a: string, b: string): boolean => normalized(a) === normalized(b);

const inOrder = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

/** A sorted copy, by several keys. */
export function sorted<T>(all: T[], ...by: ((one: T) => string | number)[]): T[] {
  return all.toSorted((a, b) => by.reduce((order, of) => order || inOrder(of(a), of(b)), 0));
}

export const byId = ({ id }: { id: number }) => id;

/** The world of a catalogue with all ids. */
export function worldOf(catalogue: CompleteCatalogue): World {
  const bugs = catalogue.bugs.map((bug) => bugOf(bug, catalogue));
  const tags = bugs.flatMap(({ comments }) => comments.flatMap((comment) => comment.tags));
  return {
    products: catalogue.products.map((product) => productOf(product, catalogue)),
    bugs,
    spellings: new Map(tags.map((tag) => [normalized(tag), tag])),
  };
}

const bySortKey = ({ sort_key }: { sort_key: number }) => sort_key;
const byName = ({ name }: { name: string }) => normalized(name);
/** Digits are compared as numbers: 2.0 precedes 10.0. functions/README.md 2. */
const byNumbers = ({ name }: { name: string }) => name.replace(/\d+/g, (digits) => digits.padStart(9, '0'));

function productOf({ flag_types, ...product }: CompleteProduct, { groups }: CompleteCatalogue): Product {
  const groupId = (name: string | null) => groups.find((group) => group.name === name)?.id ?? null;
  const flagTypes = (component: string, desired: string) =>
    flag_types
      .filter(
        ({ components, target }) => target === desired && (components ?? [component]).includes(component),
      )
      .map(({ components, target, ...type }) => ({
        ...type,
        cc_list: type.cc_list.join(', '),
        grant_group: groupId(type.grant_group),
        request_group: groupId(type.request_group),
      }));
  return {
    ...product,
    id: given(product.id),
    default_milestone: given(product.default_milestone),
    components: sorted(product.components, bySortKey, byName).map((component) => ({
      ...component,
      id: given(component.id),
      flag_types: {
        bug: flagTypes(component.name, 'bug'),
        attachment: flagTypes(component.name, 'attachment'),
      },
    })),
    versions: sorted(product.versions, bySortKey, byNumbers).map((one) => ({ ...one, id: given(one.id) })),
    milestones: sorted(product.milestones, bySortKey, byName).map((one) => ({ ...one, id: given(one.id) })),
  };
}

function bugOf(bug: CompleteBug, { products }: CompleteCatalogue): Bug {
  const { component, summary, assigned_to, qa_contact, cc, groups, status, resolution = '' } = bug;
  const product = given(products.find(({ name }) => name === bug.product));
  return {
    ...{ component, summary, assigned_to, qa_contact, cc, groups, status, resolution },
    id: given(bug.id),
    alias: bug.aliases,
    creator: bug.reporter,
    product: given(product.id),
    version: given(bug.version),
    target_milestone: given(product.default_milestone),
    is_confirmed: status !== 'UNCONFIRMED',
    whiteboard: '',
    changed: '',
    history: bug.history,
    hours_left: 0,
    hours_worked: bug.comments.reduce((sum, { work_time }) => sum + work_time, 0),
    comments: bug.comments.map(({ creation_time, work_time, ...one }) => ({
      ...one,
      id: given(one.id),
      time: creation_time,
    })),
  };
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The catalogue of the model leaves nothing open');
  return value;
}
