import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import { BUNDLE_ALIASES } from './bundle-aliases.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** Options of esbuild for what Lambda runs. */
export const BUNDLE_OPTIONS = {
  absWorkingDir: PROJECT,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  mainFields: ['module', 'main'],
  charset: 'utf8',
  logLevel: 'warning',
} satisfies BuildOptions;

/** The file in which the function of a group begins. */
export const entryOf = (group: string): string => join(PROJECT, 'functions', group, 'index.ts');

/**
 * Packages that the code imports when it needs them. Each becomes a file beside the bundles that import it, so that a cold
 * start does not compile it.
 */
const LAZY_PACKAGES: Readonly<Record<string, string>> = { re2js: 'node_modules/re2js/build/index.js' };

const lazyFile = (name: string) => `./${name}.mjs`;

interface Bundles {
  /** bundles and source maps by their paths: `products.mjs`, `products.mjs.map` */
  files: ReadonlyMap<string, Uint8Array>;
  /** what is in each bundle */
  metafile: Metafile;
}

let built: Bundles | undefined;

/** Bundles all groups, once in a process: one build reads what they share once. */
export function buildBundles(): Bundles {
  if (built !== undefined) return built;
  const { outputFiles, metafile } = buildSync({
    ...BUNDLE_OPTIONS,
    alias: {
      ...BUNDLE_ALIASES,
      ...Object.fromEntries(Object.keys(LAZY_PACKAGES).map((name) => [name, lazyFile(name)])),
    },
    external: Object.keys(LAZY_PACKAGES).map(lazyFile),
    entryPoints: {
      ...LAZY_PACKAGES,
      ...Object.fromEntries(endpointGroups.map(({ name }) => [name, entryOf(name)])),
    },
    outdir: PROJECT,
    sourcemap: 'external',
    metafile: true,
    write: false,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(PROJECT, path), contents]));
  built = { files, metafile };
  return built;
}

/**
 * Writes what is deployed as the function of a group: its bundle, `index.mjs`, the packages that it loads later, and its
 * assets.
 *
 * @param mapsFolder gets the source map. It is not deployed: only `npm run stack-trace` needs it.
 * @throws Error when esbuild reports an error, or an asset is missing
 */
export function writeBundle(
  { name, assets }: Pick<EndpointGroup, 'name' | 'assets'>,
  folder: string,
  mapsFolder: string,
): void {
  const { files, metafile } = buildBundles();
  const write = (file: string, path: string) => {
    const contents = files.get(file);
    if (contents === undefined) throw new Error(`There is no ${file}`);
    writeFileSync(path, contents);
  };
  write(`${name}.mjs`, join(folder, 'index.mjs'));
  mkdirSync(mapsFolder, { recursive: true });
  write(`${name}.mjs.map`, join(mapsFolder, `${name}.mjs.map`));
  for (const { path, external } of metafile.outputs[`${name}.mjs`]?.imports ?? []) {
    const file = basename(path);
    if (external === true && files.has(file)) write(file, join(folder, file));
  }
  for (const { name: fileName, source } of assets)
    copyFileSync(join(PROJECT, source), join(folder, fileName));
}
