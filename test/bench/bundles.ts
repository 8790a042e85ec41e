import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { entryOf } from '../../infra/stack/bundle.ts';
import { BUNDLE_ALIASES } from '../../infra/stack/bundle-aliases.ts';
import { bundled, sizeOf } from '../support/bundling.ts';
import { percentiles } from './environment.ts';
import { printTable, rounded } from './print.ts';

const ROUNDS = 15;
const SDK_ONLY = 'only the SDK';
const run = promisify(execFile);

/** Size and content of the bundle of each function, and the import time in a new process. */
export async function bundles(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bugless-bench-'));
  const sdkOnly = join(folder, 'sdk-only.ts');
  const source = `import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
const client = new DynamoDBClient({});
export const handler = () => client.send(new GetItemCommand({ TableName: 't', Key: {} }));`;
  await writeFile(sdkOnly, source);
  const entries: [string, string][] = [
    [SDK_ONLY, sdkOnly],
    ...endpointGroups.map(({ name }): [string, string] => [name, entryOf(name)]),
  ];
  const built = await Promise.all(
    entries.map(async ([name, entry]) => {
      const outfile = join(folder, `${name.replaceAll(' ', '-')}.mjs`);
      const metafile = await bundled(
        entry,
        name === SDK_ONLY ? {} : { alias: { ...BUNDLE_ALIASES } },
        outfile,
      );
      return { name, outfile, metafile };
    }),
  );
  const times = new Map(built.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, outfile } of built) times.get(name)?.push(await importTime(outfile));
  }
  const median = (name: string) => percentiles(times.get(name) ?? []).median;
  printTable(
    'Bundles, minified as they are deployed',
    built.map(({ name, metafile }) => ({
      bundle: name,
      KB: rounded(sizeOf(metafile) / 1_000, 1),
      'import ms': rounded(median(name), 1),
      'times SDK': rounded(median(name) / median(SDK_ONLY)),
    })),
  );
  for (const { name, metafile } of built.slice(1)) {
    printTable(`What is imported before the first answer: ${name}`, packagesOf(metafile));
  }
  await rm(folder, { recursive: true });
}

const outputOf = ({ outputs }: Metafile) => Object.values(outputs)[0];

/** Bytes by package, the largest first. */
function packagesOf(metafile: Metafile): { package: string; KB: string }[] {
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(outputOf(metafile)?.inputs ?? {})) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'bugless';
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return [...sizes]
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => ({ package: name, KB: rounded(bytes / 1_000, 1) }));
}

/** Measured in a new process, without the start of Node. */
async function importTime(file: string): Promise<number> {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`;
  const environment = { ...process.env, TABLE_NAME: 'bugless', AWS_REGION: 'us-east-1' };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: environment });
  return Number(stdout.trim());
}
