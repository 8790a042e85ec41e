import type { ComponentItem, ProductWithParts } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import type { UserRepository } from '../../users/repository.ts';

/** Default assignees who are looked at in place of one who is disabled. */
const MAX_CANDIDATES = 100;

/**
 * A product that assigns no bugs to users who are disabled: in their place it has the default assignee of its first active component
 * who is not. Where all are disabled, they stay, as in Bugzilla, which does not look. functions/bugs/README.md 4.1
 *
 * @param isAsked which components bugs are assigned by
 */
export async function withEnabledAssignees(
  product: ProductWithParts,
  isAsked: (component: ComponentItem) => boolean,
  { byLogins }: UserRepository,
): Promise<ProductWithParts> {
  const asked = product.components.filter(isAsked);
  const disabledOf = async (components: readonly ComponentItem[]) => {
    const logins = [...new Set(components.map((one) => one.default_assigned_to))];
    const users = await byLogins(logins.filter((login) => login !== '').slice(0, MAX_CANDIDATES));
    return new Set([...users].flatMap(([login, { disabled }]) => (disabled === undefined ? [] : [login])));
  };
  const isIn = (logins: ReadonlySet<string>, one: ComponentItem) =>
    logins.has(normalizeName(one.default_assigned_to));
  const disabled = await disabledOf(asked);
  if (disabled.size === 0) return product;
  const candidates = product.components
    .filter((one) => one.is_active && one.default_assigned_to !== '')
    .slice(0, MAX_CANDIDATES);
  const allDisabled = await disabledOf(candidates);
  const [first] = candidates.filter((one) => !isIn(allDisabled, one));
  if (first === undefined) return product;
  const { default_assigned_to } = first;
  return {
    ...product,
    components: product.components.map((one) =>
      isIn(disabled, one) ? { ...one, default_assigned_to } : one,
    ),
  };
}
