import { normalizeName } from '../../base/text.ts';
import type { UserRepository } from '../../people/repository.ts';
import type { ComponentItem, ProductWithParts } from '../../products/schema.ts';

/** Default assignees who are looked at in place of one who is disabled. */
const MAX_CANDIDATES = 100;

/**
 * A product that assigns no bugs to users who are disabled: in their place it has the default assignee of its first active component
 * who is not. Where all are disabled, they stay, as in Bugzilla, which does not look. functions/bugs/README.md 4.1
 *
 * @param asked the normalized names of the components that bugs are assigned by
 */
export async function withEnabledAssignees(
  product: ProductWithParts,
  asked: ReadonlySet<string>,
  { disabledAmong }: UserRepository,
): Promise<ProductWithParts> {
  const loginsOf = (components: readonly ComponentItem[]) => {
    const logins = new Set(components.map((one) => normalizeName(one.default_assigned_to)));
    logins.delete('');
    return new Set([...logins].slice(0, MAX_CANDIDATES));
  };
  const isIn = (logins: ReadonlySet<string>, one: ComponentItem) =>
    logins.has(normalizeName(one.default_assigned_to));
  const isAsked = ({ name }: ComponentItem) => asked.has(normalizeName(name));
  const disabled = await disabledAmong(loginsOf(product.components.filter(isAsked)));
  if (disabled.size === 0) return product;
  const active = product.components.filter((one) => one.is_active);
  const candidates = loginsOf(active);
  const allDisabled = await disabledAmong(candidates);
  const first = active.find((one) => isIn(candidates, one) && !isIn(allDisabled, one));
  if (first === undefined) return product;
  const { default_assigned_to } = first;
  return {
    ...product,
    components: product.components.map((one) =>
      isIn(disabled, one) ? { ...one, default_assigned_to } : one,
    ),
  };
}
