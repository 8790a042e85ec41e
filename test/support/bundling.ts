import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BUNDLE_ALIASES } from '../../infra/stack/bundle-aliases.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Where a group's function begins. */
export const entryOf = (group: string): string => join(PROJECT, 'functions', group, 'index.ts');

/** Package aliases in deployed bundles. */
export const DEPLOYED = { alias: { ...BUNDLE_ALIASES } };

/**
 * Bundles a file as the stack bundles its functions.
 *
 * @param outfile of the bundle; absent: not written
 * @returns what is in the bundle, by its files, paths relative to the project
 */
export async function bundled(
  entry: string,
  options: Pick<BuildOptions, 'alias'>,
  outfile?: string,
): Promise<Metafile> {
  const { metafile } = await build({
    ...options,
    entryPoints: [entry],
    outfile: outfile ?? 'unwritten.mjs',
    write: outfile !== undefined,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    charset: 'utf8',
    metafile: true,
    absWorkingDir: PROJECT,
    nodePaths: [join(PROJECT, 'node_modules')],
    logLevel: 'error',
  });
  return metafile;
}

/** Bytes of a bundle. */
export const sizeOf = ({ outputs }: Metafile): number => Object.values(outputs)[0]?.bytes ?? 0;
