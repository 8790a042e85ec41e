import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../infra/stack/bundle.ts';

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
    ...BUNDLE_OPTIONS,
    ...options,
    entryPoints: [entry],
    outfile: outfile ?? 'unwritten.mjs',
    write: outfile !== undefined,
    metafile: true,
    nodePaths: [`${BUNDLE_OPTIONS.absWorkingDir}/node_modules`],
  });
  return metafile;
}

/** Bytes of a bundle. */
export const sizeOf = ({ outputs }: Metafile): number => Object.values(outputs)[0]?.bytes ?? 0;
