import type { Problem } from './schema.ts';
import { NO_ID } from './schema-rules.ts';

/** A file that is not a catalogue, or contradicts the table; the message has all validation problems. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/** The error for a list of problems, each with its JSON path; of ids that are missing the first one, with their number. */
export function catalogueError(all: readonly Problem[]): CatalogueError {
  const problems = withoutRepeated(all);
  const lines = problems.map(({ path, message }) => `  ${pathText(path)}: ${message}`);
  const places = problems.length === 1 ? 'one place' : `${problems.length} places`;
  return new CatalogueError(`The catalogue is wrong in ${places}:\n${lines.join('\n')}`);
}

/** A file whose bugs have no ids has one problem, not one for each of them. */
function withoutRepeated(problems: readonly Problem[]): readonly Problem[] {
  const [first, ...others] = problems.filter(({ message }) => message === NO_ID);
  if (first === undefined) return problems;
  const count = ['', ', and so is another one'][others.length] ?? `, and so are ${others.length} others`;
  const message = `${NO_ID}${count}: give each of a kind an id of its own, and new ones above those of the table`;
  return problems.flatMap((one) => {
    if (one === first) return { ...one, message };
    return one.message === NO_ID ? [] : one;
  });
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
