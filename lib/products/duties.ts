import { normalizeName } from '../base/text.ts';
import type { ComponentItem, ProductWithParts } from './schema.ts';

/** What somebody does in a component whose login one of its attributes has. */
const DUTIES = [
  ['default_assigned_to', 'default assignee'],
  ['default_qa_contact', 'default QA contact'],
  ['default_cc', 'default CC'],
] as const;

/** What a user does in a component, or for a flag type, by the name of the product. */
export interface Duty {
  product: string;
  component?: string;
  flag_type?: string;
  as: (typeof DUTIES)[number][1] | 'CC of a flag type';
}

/** What a user does in the components and for the flag types of a product. */
export function dutiesIn({ product, components, flagTypes }: ProductWithParts, login: string): Duty[] {
  const isTheirs = (other: string) => normalizeName(other) === normalizeName(login);
  const inComponent = (one: ComponentItem): Duty['as'][] =>
    DUTIES.flatMap(([name, duty]) => ([one[name] ?? []].flat().some(isTheirs) ? duty : []));
  return [
    ...components.flatMap((one) =>
      inComponent(one).map((as): Duty => ({ product: product.name, component: one.name, as })),
    ),
    ...flagTypes
      .filter(({ cc_list }) => cc_list.some(isTheirs))
      .map(({ name }): Duty => ({ product: product.name, flag_type: name, as: 'CC of a flag type' })),
  ];
}
