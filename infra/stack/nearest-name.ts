/**
 * The known name that a misspelt name most likely stands for. Case, `-` and `_` do not count.
 *
 * @returns undefined when no known name is similar
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const requested = withoutSeparators(name);
  const maxDistance = 1 + Math.floor(requested.length / 4);
  return known
    .map((candidate) => ({ candidate, distance: editDistance(requested, withoutSeparators(candidate)) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance)
    .at(0)?.candidate;
}

const withoutSeparators = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, character] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const substitution = (previous[column] ?? 0) + (character === other ? 0 : 1);
      const insertion = (current[column] ?? 0) + 1;
      const deletion = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(substitution, insertion, deletion));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
