import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { escapeLine } from '../../lib/base/text.ts';

/** The CDK context or the stage file is invalid. The message says what to change. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

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
 * @throws ConfigurationError when the file is not a JSON object
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
  try {
    // Editors of Windows write a byte order mark.
    const read = jsonObject.safeParse(JSON.parse(content.replace(/^\uFEFF/, '')));
    if (read.success) return read.data;
  } catch (error) {
    throw new ConfigurationError(escapeLine(`${path}: ${error instanceof Error ? error.message : error}`));
  }
  throw new ConfigurationError(`${path} must be a JSON object`);
}
