import { kindOf } from '../bugs/fields/kinds.ts';
import { parseCustomValue } from './custom-values.ts';
import type { Referred } from './desired-bug.ts';
import { namesAt } from './places.ts';
import { unknownNames } from './plan.ts';
import type { CommentsPlan, FoundBug } from './plan-comments.ts';
import type { Problem } from './schema.ts';

/** A bug of the catalogue, with its place. */
export type Entry = Pick<FoundBug, 'given' | 'path'>;

/**
 * Where a bug of a catalogue contradicts the table, its attachments apart.
 *
 * @param holders the bugs that have its aliases
 */
export const bugProblems = (
  bug: FoundBug,
  planned: CommentsPlan,
  holders: readonly (number | undefined)[],
  { componentsOf, customKindOf, groupNames, keywordNames }: Referred,
): Problem[] => [
  ...placeProblems(bug, componentsOf),
  ...unknownNames('group', namesAt(bug.given, ['groups.*'], bug.path), groupNames),
  ...unknownNames('keyword', namesAt(bug.given, ['keywords.*'], bug.path), keywordNames),
  ...customProblems(bug, customKindOf),
  ...aliasProblems(bug, holders),
  ...identityProblems(bug, planned),
];

/** A product or component that neither the catalogue nor the table has. */
function placeProblems({ given, path }: Entry, componentsOf: Referred['componentsOf']): Problem[] {
  const { product, component } = given;
  const components = componentsOf(product);
  if (components === undefined) {
    return [{ path: [...path, 'product'], message: `there is no product '${product}'` }];
  }
  if (components.has(component)) return [];
  return [{ path: [...path, 'component'], message: `'${product}' has no component '${component}'` }];
}

/** Values of custom fields that do not exist, or of another kind than theirs. */
const customProblems = ({ given, path }: Entry, customKindOf: Referred['customKindOf']): Problem[] =>
  Object.entries(given.custom).flatMap(([name, value]) => {
    const kind = customKindOf(name);
    const problem = (message: string) => [{ path: [...path, name], message }];
    if (kind === undefined) return problem('there is no such custom field');
    if (kindOf({ kind }).shape === 'bug' && value === given.id) return problem('is the bug itself');
    const parsed = parseCustomValue(kind, value);
    return 'problem' in parsed ? problem(parsed.problem) : [];
  });

const aliasProblems = (
  { path, given: { id } }: FoundBug,
  holders: readonly (number | undefined)[],
): Problem[] =>
  holders.flatMap((holder, a) =>
    holder === undefined || holder === id
      ? []
      : [{ path: [...path, 'aliases', a], message: `bug ${holder} has this alias` }],
  );

/** The problems of the comments, unless the table has another bug. */
function identityProblems({ path, given, existing }: FoundBug, { problems }: CommentsPlan): Problem[] {
  if (existing === undefined || existing.reporter === given.reporter) return problems;
  const { id, reporter } = existing;
  return [{ path, message: `bug ${id} is another one, reported by '${reporter}'` }];
}
