import type { Problem } from './schema.ts';

/** A file that is not a catalogue, or contradicts the table; the message names each wrong place. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
  /** the wrong places, as far as they are known separately */
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** The error for a list of problems, each with its JSON path. */
export function catalogueError(problems: readonly Problem[]): CatalogueError {
  const lines = problems.map(({ path, message }) => `  ${jsonPath(path)}: ${message}`);
  const places = problems.length === 1 ? 'one place' : `${problems.length} places`;
  return new CatalogueError(`The catalogue is wrong in ${places}:\n${lines.join('\n')}`, problems);
}

/** A path in the syntax of JSONPath: `$.users[0].login`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (whole, step) => (typeof step === 'number' ? `${whole}[${step}]` : `${whole}.${String(step)}`),
    '$',
  );
}
