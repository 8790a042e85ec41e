import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { groups } from '../../functions/routes.ts';

const PROJECT = join(import.meta.dirname, '../..');
const HOT = ['products', 'bugs', 'comments', 'comment-tags'];

/** Which files of the project and of packages are in a group's bundle. */
async function contentsOf(group: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(PROJECT, 'functions', group, 'index.ts')],
    absWorkingDir: PROJECT,
    outdir: 'unwritten',
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    charset: 'utf8',
    metafile: true,
    logLevel: 'error',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

describe('the bundle', () => {
  it.each(HOT)('of %s has nothing of the explorer and the OpenAPI document', async (group) => {
    const files = await contentsOf(group);
    expect(files).toContain(`functions/${group}/index.ts`);
    expect(files.filter((file) => /openapi|explorer|swagger|introduction|json-schema/.test(file))).toEqual(
      [],
    );
  });

  it('of the explorer has what describes every group, and nothing that reaches the table', async () => {
    const files = await contentsOf('explorer');
    const texts = Object.keys(groups).map((group) => `functions/${group}/openapi.ts`);
    expect(files).toEqual(expect.arrayContaining(texts));
    expect(files.filter((file) => /@aws-sdk|\/store\.ts$|lib\/db\/client/.test(file))).toEqual([]);
  });
});
