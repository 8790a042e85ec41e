import type { FieldSelection } from '../http/fields.ts';
import { compareNames, compareNaturally } from '../text.ts';
import type { ComponentItem, FlagTypeItem, ProductWithParts, ReleaseItem } from './schema.ts';

type View = Record<string, unknown>;

/** A product as the interface shows it, with the fields that are wanted. SPEC.md 2.1 to 2.4, REFERENCE.md 2, 4. */
export function presentProduct(
  { product, components, flagTypes, milestones, versions }: ProductWithParts,
  fields: FieldSelection,
): View {
  return fields.pick({
    id: product.id,
    name: product.name,
    description: product.description,
    is_active: product.is_active,
    default_milestone: product.default_milestone,
    has_unconfirmed: product.has_unconfirmed,
    classification: product.classification,
    components: components
      .toSorted(bySortKey(compareNames))
      .map((component) => componentView(component, flagTypes, fields.within('components'))),
    versions: versions
      .toSorted(bySortKey(compareNaturally))
      .map((version) => releaseView(version, fields.within('versions'))),
    milestones: milestones
      .toSorted(bySortKey(compareNames))
      .map((milestone) => releaseView(milestone, fields.within('milestones'))),
  });
}

interface Sorted {
  sort_key: number;
  name: string;
}

const bySortKey = (compareNames: (a: string, b: string) => number) => (a: Sorted, b: Sorted) =>
  a.sort_key - b.sort_key || compareNames(a.name, b.name);

function componentView(component: ComponentItem, flagTypes: FlagTypeItem[], fields: FieldSelection): View {
  const { id, name, description, default_assigned_to, default_qa_contact, sort_key, is_active } = component;
  const view = { id, name, description, default_assigned_to, default_qa_contact, sort_key, is_active };
  if (!fields.has('flag_types')) return fields.pick(view);
  const applying = flagTypes
    .filter((type) => type.components === null || type.components.includes(id))
    .toSorted(bySortKey(compareNames));
  const of = (target: FlagTypeItem['target']) =>
    applying.filter((type) => type.target === target).map(flagTypeView);
  return fields.pick({ ...view, flag_types: { bug: of('bug'), attachment: of('attachment') } });
}

function releaseView({ id, name, sort_key, is_active }: ReleaseItem, fields: FieldSelection): View {
  return fields.pick({ id, name, sort_key, is_active });
}

function flagTypeView(type: FlagTypeItem): View {
  return {
    id: type.id,
    name: type.name,
    description: type.description,
    cc_list: type.cc_list.join(', '),
    sort_key: type.sort_key,
    is_active: type.is_active,
    is_requestable: type.is_requestable,
    is_requesteeble: type.is_requesteeble,
    is_multiplicable: type.is_multiplicable,
    grant_group: type.grant_group?.id ?? null,
    request_group: type.request_group?.id ?? null,
  };
}
