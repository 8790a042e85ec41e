import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../reference/bugzilla-db');

/** A file of the recorded databases, decompressed. */
export const recordedFile = (name: string): Buffer =>
  zstdDecompressSync(readFileSync(join(FOLDER, `${name}.zst`)));

/** An evening of a Bugzilla: A, or B after it. */
export type Evening = 'A' | 'B';

/** The parameters of an evening, or of C, an old installation. */
export const paramsOf = (evening: Evening | 'C'): string => join(FOLDER, `params-${evening}.json`);
