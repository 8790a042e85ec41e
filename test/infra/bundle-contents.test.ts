import { describe, expect, it } from 'vitest';
import { groups } from '../../functions/groups.ts';
import { bundled, DEPLOYED, entryOf, sizeOf } from '../support/bundling.ts';

const MAX_BYTES = 550_000;
const HOT = ['products', 'bugs', 'comments', 'comment-tags'];

/** The project and package files in the bundle of a group. */
async function contentsOf(group: string): Promise<string[]> {
  const { outputs } = await bundled(entryOf(group), DEPLOYED);
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

describe('the bundle', () => {
  it.each(HOT)('of %s contains neither the explorer nor the OpenAPI document', async (group) => {
    const files = await contentsOf(group);
    expect(files).toContain(`functions/${group}/index.ts`);
    expect(files.filter((file) => /openapi|explorer|swagger|introduction|json-schema/.test(file))).toEqual(
      [],
    );
  });

  it.each(groups.map(({ name }) => name))(
    'of %s is small, and has the environment as its only credential provider',
    async (group) => {
      expect(sizeOf(await bundled(entryOf(group), DEPLOYED))).toBeLessThan(MAX_BYTES);
      expect(
        (await contentsOf(group)).filter((file) => /credential-provider-(node|sso|ini)/.test(file)),
      ).toEqual([]);
    },
  );

  it('of the explorer contains the documentation of every group, and no DynamoDB client', async () => {
    const files = await contentsOf('explorer');
    const texts = groups.map(({ name }) => `functions/${name}/openapi.ts`);
    expect(files).toEqual(expect.arrayContaining(texts));
    expect(files.filter((file) => /@aws-sdk|\/repository\.ts$|lib\/dynamodb\/client/.test(file))).toEqual([]);
  });
});
