import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { endpointGroup as account } from '../../functions/account/endpoints.ts';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import type { EndpointGroup, OptionAssets } from '../../lib/http/routes.ts';

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

/** The file in which a function begins. */
export const entryOf = (name: string): string => join(PROJECT, 'functions', name, 'index.ts');

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

const built = new Map<typeof BUNDLE_ALIASES, Bundles>();

/** Bundles functions, once in a process: one build reads what they share once. */
function build(functions: readonly { name: string }[], alias: typeof BUNDLE_ALIASES): Bundles {
  const former = built.get(alias);
  if (former !== undefined) return former;
  const { outputFiles, metafile } = buildSync({
    ...BUNDLE_OPTIONS,
    alias: {
      ...alias,
      ...Object.fromEntries(Object.keys(LAZY_PACKAGES).map((name) => [name, lazyFile(name)])),
    },
    external: Object.keys(LAZY_PACKAGES).map(lazyFile),
    entryPoints: {
      ...LAZY_PACKAGES,
      ...Object.fromEntries(functions.map(({ name }) => [name, entryOf(name)])),
    },
    outdir: PROJECT,
    sourcemap: 'external',
    metafile: true,
    write: false,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(PROJECT, path), contents]));
  const bundles = { files, metafile };
  built.set(alias, bundles);
  return bundles;
}

/** Names of the functions that call other services than DynamoDB, too. */
const callers: ReadonlySet<string> = new Set([...consumers.map(({ name }) => name), account.name]);

/** Bundles the endpoint groups that call DynamoDB alone. */
const buildBundles = (): Bundles =>
  build(
    endpointGroups.filter(({ name }) => !callers.has(name)),
    BUNDLE_ALIASES,
  );

/** Bundles the functions that call other services, too: those that no request calls, and `account`. */
export const buildCallers = (): Bundles => build([...consumers, account], CALLER_ALIASES);

const bundlesWith = (name: string): Bundles => (callers.has(name) ? buildCallers() : buildBundles());

/** What esbuild says of the bundle of a function. @throws Error when there is none */
export function bundleOutput(name: string): Metafile['outputs'][string] {
  const output = bundlesWith(name).metafile.outputs[`${name}.mjs`];
  if (output === undefined) throw new Error(`There is no bundle of ${name}`);
  return output;
}

/**
 * Writes what is deployed as a function: its bundle, `index.mjs`, the packages that it loads later, and its
 * assets.
 *
 * @param mapsFolder gets the source map. It is not deployed: only `npm run stack-trace` needs it.
 * @param options of the stage that functions read from files
 * @throws Error when esbuild reports an error, or an asset is missing
 */
export function writeBundle(
  { name, assets }: Pick<EndpointGroup, 'name' | 'assets'>,
  folder: string,
  mapsFolder: string,
  options: OptionAssets = {},
): void {
  const { files, metafile } = bundlesWith(name);
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
  for (const asset of assets) {
    const path = join(folder, asset.name);
    if ('source' in asset) copyFileSync(join(PROJECT, asset.source), path);
    else if (options[asset.option] !== undefined) writeFileSync(path, JSON.stringify(options[asset.option]));
  }
}

const replacement = (file: string) => join(import.meta.dirname, file);

const credentials = {
  '@aws-sdk/credential-provider-node': replacement('lambda-credentials.ts'),
};

/**
 * Replacements in the bundles of the functions that call other services, too: the clients of EventBridge, SES and SQS need the
 * SDK's own request handler.
 */
const CALLER_ALIASES: Readonly<Record<string, string>> = credentials;

/** Replacements, in the bundles of the endpoint groups, for modules of which they need little. */
const BUNDLE_ALIASES: Readonly<Record<string, string>> = {
  ...credentials,
  '@aws-sdk/middleware-endpoint-discovery': replacement('sdk-parts.ts'),
  '@smithy/core/event-streams': replacement('sdk-parts.ts'),
  '@smithy/node-http-handler': replacement('sdk-parts.ts'),
  'node:http': replacement('node-http.ts'),
  'node:process': replacement('node-process.ts'),
  'node:util': replacement('node-util.ts'),
};
