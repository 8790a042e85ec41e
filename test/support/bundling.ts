import { type BuildOptions, build, type Metafile } from 'esbuild';
import { BUNDLE_OPTIONS } from '../../infra/stack/bundle.ts';

/**
 * Bundles a file as the stack bundles its functions.
 *
 * @returns what is in the bundle, by its files, paths relative to the project
 */
export async function bundled(entry: string, options: Pick<BuildOptions, 'alias'>): Promise<Metafile> {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    ...options,
    entryPoints: [entry],
    outfile: 'unwritten.mjs',
    write: false,
    metafile: true,
    nodePaths: [`${BUNDLE_OPTIONS.absWorkingDir}/node_modules`],
  });
  return metafile;
}
