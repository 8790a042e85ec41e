import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { type ColdStart, coldStart, quartile } from './cold-start.ts';
import { ADMIN, get, groupsOf, openGround, openHandlers, PROJECT } from './environment.ts';
import { printTable, rounded } from './print.ts';

const ROUNDS = 15;

type GroupName = (typeof endpointGroups)[number]['name'];

/** The first request of each function. */
const FIRST_REQUESTS: Readonly<Record<GroupName, string>> = {
  products: '/rest/product/2',
  comments: '/rest/bug/8/comment',
  'comment-tags': '/rest/bug/comment/tags/spam',
  bugs: '/rest/bug/8',
  attachments: '/rest/bug/8/attachment',
  administration: '/rest/flag_type/Alpha',
  'service-info': '/rest/whoami',
  account: '/rest/bugless/api_keys',
  explorer: '/',
};

/** What a checkout exports of its bundling. */
interface Bundling {
  bundleOutput(name: string): Metafile['outputs'][string];
  writeBundle(group: (typeof endpointGroups)[number], folder: string, mapsFolder: string): void;
}

/**
 * Size and content of the bundle of each function, and the CPU time of its cold start: import and first request in a new
 * process.
 *
 * @param beside folder of another checkout, whose bundles are measured, too, taking turns; groups that it lacks are left out
 */
export async function bundles(beside?: string): Promise<void> {
  const ground = await openGround();
  const { invocationOf } = await openHandlers(ground.table.name, ground.endpoint);
  const folder = await mkdtemp(join(tmpdir(), 'bugless-bench-'));
  const checkouts = [PROJECT, ...(beside === undefined ? [] : [resolve(beside)])];
  const groups = endpointGroups.filter((group) =>
    checkouts.every((project) => groupsOf(project).includes(group)),
  );
  const variants = await Promise.all(
    checkouts.map(async (project, place) => {
      const stack = pathToFileURL(join(project, 'infra/stack/bundle.ts'));
      const { bundleOutput, writeBundle }: Bundling = await import(stack.href);
      const folderOf = (group: string) => join(folder, String(place), group);
      for (const group of groups) {
        mkdirSync(folderOf(group.name), { recursive: true });
        writeBundle(group, folderOf(group.name), join(folder, 'maps'));
      }
      return { bundleOutput, folderOf, samples: new Map<string, ColdStart[]>() };
    }),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name } of groups) {
      const invocation = invocationOf({ ...get(FIRST_REQUESTS[name])(), key: ADMIN });
      for (const { folderOf, samples } of round % 2 === 0 ? variants : variants.toReversed()) {
        const sample = await coldStart(join(folderOf(name), 'index.mjs'), invocation);
        samples.set(name, [...(samples.get(name) ?? []), sample]);
      }
    }
  }
  printTable(
    'Bundles, minified as they are deployed; milliseconds of CPU, lower quartile',
    groups.map(({ name }) => {
      const [here, other] = variants.map(({ folderOf, samples }) => ({
        bytes: sizeOfCode(folderOf(name)),
        imported: quartile((samples.get(name) ?? []).map(({ imported }) => imported)),
        responded: quartile((samples.get(name) ?? []).map(({ responded }) => responded)),
      }));
      if (here === undefined) throw new Error('Nothing was measured');
      return {
        function: name,
        KB: rounded(here.bytes / 1_000, 1),
        import: rounded(here.imported, 1),
        'and first request': rounded(here.responded, 1),
        ...(other === undefined
          ? {}
          : {
              'KB beside': rounded(other.bytes / 1_000, 1),
              'CPU beside': rounded(other.responded, 1),
              ratio: rounded(here.responded / other.responded),
            }),
      };
    }),
  );
  const [first] = variants;
  for (const { name } of groups) {
    printTable(`What ${name} imports before its first response`, packagesOf(first?.bundleOutput(name)));
  }
  await rm(folder, { recursive: true });
  await ground.stop();
}

/** Bytes of the JavaScript of a function. */
const sizeOfCode = (folder: string): number =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

/** Bytes by package, the largest first. */
function packagesOf(output: Metafile['outputs'][string] | undefined): { package: string; KB: string }[] {
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'bugless';
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return [...sizes]
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => ({ package: name, KB: rounded(bytes / 1_000, 1) }));
}
