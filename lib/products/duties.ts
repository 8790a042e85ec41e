import { normalizeName } from '../base/text.ts';
import { COMPONENT_FIELDS, type ComponentField, componentValue } from './component-fields.ts';
import type { ComponentItem, ProductWithParts } from './schema.ts';

/** What a user does in a component, or for a flag type, by the name of the product. */
export interface Duty {
  product: string;
  component?: string;
  flag_type?: string;
  as: NonNullable<ComponentField['duty']> | 'CC of a flag type';
}

/** What a user does in the components and for the flag types of a product. */
export function dutiesIn({ product, components, flagTypes }: ProductWithParts, login: string): Duty[] {
  const isTheirs = (other: string) => normalizeName(other) === normalizeName(login);
  const inComponent = (one: ComponentItem): Duty['as'][] =>
    COMPONENT_FIELDS.flatMap((field) =>
      field.duty !== undefined && [componentValue(one, field)].flat().some(isTheirs) ? field.duty : [],
    );
  return [
    ...components.flatMap((one) =>
      inComponent(one).map((as): Duty => ({ product: product.name, component: one.name, as })),
    ),
    ...flagTypes
      .filter(({ cc_list }) => cc_list.some(isTheirs))
      .map(({ name }): Duty => ({ product: product.name, flag_type: name, as: 'CC of a flag type' })),
  ];
}
