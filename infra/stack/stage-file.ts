import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ConfigurationError } from './configuration-error.ts';

/** Values by the names that `-c` has too. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns the values of a stage's file; undefined when there is no file. */
export type StageReader = (stage: string) => Values | undefined;

/** The path of a stage's file, relative to the project. */
export const stageFile = (stage: string): string => `infra/stages/${stage}.json`;

const PROJECT = join(import.meta.dirname, '../..');

const jsonObject = z.record(z.string(), z.unknown());

/** The paths of the stage files that there are, relative to the project. */
export const stageFiles = (): string[] => globSync(stageFile('*'), { cwd: PROJECT }).toSorted();

/**
 * Reads `infra/stages/<stage>.json`.
 *
 * @throws ConfigurationError when the file is not a JSON object, with the place where it is not JSON
 */
export const readStageFile: StageReader = (stage) => {
  const path = join(PROJECT, stageFile(stage));
  return existsSync(path) ? parseStageFile(stageFile(stage), readFileSync(path, 'utf8')) : undefined;
};

/**
 * Parses the content of a stage's file.
 *
 * @param path for errors
 * @throws ConfigurationError as readStageFile
 */
export function parseStageFile(path: string, content: string): Values {
  // Editors of Windows write a byte order mark.
  const text = content.replace(/^\uFEFF/, '');
  const problem = jsonProblem(text);
  if (problem !== undefined) {
    const { position, reason } = problem;
    const lines = text.slice(0, position).split('\n');
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    throw new ConfigurationError(`${path}, ${place}: this is not JSON: ${reason}`);
  }
  const read = jsonObject.safeParse(JSON.parse(text));
  if (!read.success) throw new ConfigurationError(`${path} must be a JSON object`);
  return read.data;
}

const UNEXPECTED = /^Unexpected (token|non-whitespace)/;

/** Where a text stops to be JSON, and why; undefined: it is JSON. */
function jsonProblem(text: string): { position: number; reason: string } | undefined {
  const message = parseError(text);
  if (message === undefined) return undefined;
  const reason = message.replace(/ in JSON at position.*$|, ("|\.\.\.).*$/s, '').replaceAll('\n', '\\n');
  const given = / at position (\d+)/.exec(message)?.[1];
  if (given !== undefined) return { position: Number(given), reason };
  // Node does not say where an unexpected token is: at the end of the shortest beginning that has it.
  const ends = Array.from(text, (_, index) => index + 1);
  const end = ends.find((length) => UNEXPECTED.test(parseError(text.slice(0, length)) ?? ''));
  return { position: end === undefined ? text.length : end - 1, reason };
}

function parseError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
