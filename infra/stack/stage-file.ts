import { existsSync, readFileSync } from 'node:fs';
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

/**
 * Reads `infra/stages/<stage>.json`.
 *
 * @throws ConfigurationError when the file is not a JSON object
 */
export const readStageFile: StageReader = (stage) => {
  const path = join(PROJECT, stageFile(stage));
  if (!existsSync(path)) return undefined;
  try {
    return jsonObject.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new ConfigurationError(`${stageFile(stage)} must be a JSON object`);
  }
};
