import { join } from 'node:path';

/** Files to move and copy once esbuild has written a bundle; absolute paths. */
export interface AfterBundling {
  outputDir: string;
  /** where the bundle's source map is moved */
  sourceMap: string;
  assets: readonly { source: string; target: string }[];
}

const SCRIPT = join(import.meta.dirname, 'after-bundling.ts');

/**
 * The command that moves the source map and copies the assets, for CDK's bundling hook. It is a script for Node,
 * because CDK runs hooks with Bash or with Windows' `cmd`.
 */
export function afterBundlingCommand({ outputDir, sourceMap, assets }: AfterBundling): string {
  const paths = [
    join(outputDir, 'index.mjs.map'),
    sourceMap,
    ...assets.flatMap(({ source, target }) => [source, target]),
  ];
  return [process.execPath, SCRIPT, ...paths].map((path) => `"${path}"`).join(' ');
}
