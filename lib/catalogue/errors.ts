import type { Problem } from './schema.ts';

/** A file that is not a catalogue, or contradicts the table; the message has all validation problems. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/** The error for a list of problems, each with its JSON path. */
export function catalogueError(problems: readonly Problem[]): CatalogueError {
  const lines = problems.map(({ path, message }) => `  ${pathText(path)}: ${message}`);
  const places = problems.length === 1 ? 'one place' : `${problems.length} places`;
  return new CatalogueError(`The catalogue is wrong in ${places}:\n${lines.join('\n')}`);
}

/** The path of a line of a file, to be followed by a path in its JSON. */
export const linePath = (line: number): PropertyKey[] => [LINE, line];
const LINE = 'line';

function pathText(path: readonly PropertyKey[]): string {
  const [first, line, ...inLine] = path;
  return first === LINE ? `line ${String(line)}, $${jsonPath(inLine)}` : `$${jsonPath(path)}`;
}

/** A path in the syntax of JSONPath, without the `$` of the root: `.users[0].login`. */
export const jsonPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
