import { readFile } from 'node:fs/promises';
import { CatalogueError, catalogueError } from './errors.ts';
import { type Catalogue, validateCatalogue } from './schema.ts';

/**
 * Validates a catalogue.
 *
 * @throws CatalogueError naming each wrong place by its JSON path
 */
export function parseCatalogue(given: unknown): Catalogue {
  const result = validateCatalogue(given);
  if ('catalogue' in result) return result.catalogue;
  throw catalogueError(result.problems);
}

/**
 * Reads a catalogue file.
 *
 * @throws CatalogueError when it is not JSON in UTF-8, or naming each wrong place by its JSON path
 */
export async function readCatalogueFile(path: string): Promise<Catalogue> {
  const content = await readFile(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    // Decoding it leniently would store U+FFFD.
    throw new CatalogueError(`${path} is not valid UTF-8`);
  }
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  return parseCatalogue(given);
}
