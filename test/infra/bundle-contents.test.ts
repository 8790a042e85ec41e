import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { buildCallers, bundleOutput, writeBundle } from '../../infra/stack/bundle.ts';
import { inNewFolder } from '../support/start-process.ts';

/** 13 KB of them are the document client's. */
const MAX_BYTES = 384_000;
/** Several clients of the SDK, with its own request handler. */
const MAX_BYTES_OF_CALLERS = 900_000;
/** Flags with their requests, attachments, custom fields, the search index, and formats with the page of a bug are part of bugs. */
const MAX_BYTES_OF_BUGS = 540_000;
/** The client of EventBridge, saved searches, preferences and products, too. */
const MAX_BYTES_OF_ACCOUNT = 410_000;
/** The audit log, parts of products and keywords, too. */
const MAX_BYTES_OF_ADMINISTRATION = 439_000;
const CONSUMER_ENVIRONMENT = {
  ...{ TABLE_NAME: 'bugless', AWS_REGION: 'us-east-1', EVENT_BUS_NAME: 'bugless' },
  ...{ MAIL_FROM: 'bugs@example.org', BASE_URL: 'https://bugs.example.org/', MAIL_QUEUE_URL: 'https://x/q' },
};
const LARGER = new Map([
  ['bugs', MAX_BYTES_OF_BUGS],
  ['account', MAX_BYTES_OF_ACCOUNT],
  ['administration', MAX_BYTES_OF_ADMINISTRATION],
]);
const maxBytesOf = (group: string) => LARGER.get(group) ?? MAX_BYTES;
const HOT = ['products', 'bugs', 'comments', 'comment-tags'];

/** The project and package files in the bundle of a group. */
function contentsOf(group: string): string[] {
  const inputs = Object.entries(bundleOutput(group).inputs);
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
}

describe('the bundle', () => {
  /** What serves the page of a bug. */
  const PAGES = /^functions\/explorer\/(assets|files|first-reads|get-pages|join-modules|send-file)\.ts$/;

  it.each(HOT)('of %s contains neither the explorer nor the OpenAPI document', (group) => {
    const files = contentsOf(group);
    expect(files).toContain(`functions/${group}/index.ts`);
    const unwanted = files.filter((file) => /openapi|explorer|swagger|introduction|json-schema/.test(file));
    expect(unwanted.filter((file) => group !== 'bugs' || !PAGES.test(file))).toEqual([]);
  });

  it.each(endpointGroups.map(({ name }) => name))(
    'of %s is small, and has the environment as its only credential provider',
    (group) => {
      expect(bundleOutput(group).bytes).toBeLessThan(maxBytesOf(group));
      expect(contentsOf(group).filter((file) => /credential-provider-(node|sso|ini)/.test(file))).toEqual([]);
    },
  );

  // The client of EventBridge has the SDK's own request handler.
  const callersOfDynamoDb = endpointGroups.filter(({ name }) => name !== 'account');
  it.each(callersOfDynamoDb)('of $name loads no HTTP client but that of the SDK', async (group) => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'index.mjs');
      writeBundle(group, folder, join(folder, 'maps'));
      const script = `await import(${JSON.stringify(file)}); console.log(process.moduleLoadList.join())`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, TABLE_NAME: 'bugless', AWS_REGION: 'us-east-1' },
      });
      expect(stdout).toContain('NativeModule');
      expect(stdout).not.toContain('undici');
    });
  });

  it('contains of searches only what the group needs', () => {
    expect(contentsOf('bugs').filter((file) => file.startsWith('lib/search/')).length).not.toBe(0);
    for (const group of ['products', 'comments', 'comment-tags', 'service-info']) {
      const files = contentsOf(group);
      expect(files.filter((file) => file.startsWith('lib/search/'))).toEqual([]);
    }
  });

  it('leaves the matcher of regular expressions to a file that searches load', async () => {
    expect(contentsOf('bugs').filter((file) => file.includes('re2js'))).toEqual([]);
    await inNewFolder(async (folder) => {
      for (const group of endpointGroups) {
        const own = join(folder, group.name);
        mkdirSync(own);
        writeBundle(group, own, join(folder, 'maps'));
        // Searches load it, and expressions of groups.
        expect(readdirSync(own).includes('re2js.mjs')).toBe(!['explorer'].includes(group.name));
      }
      const { RE2JS } = await import(join(folder, 'bugs', 're2js.mjs'));
      expect(RE2JS.compile('a+').matches('aa')).toBe(true);
    });
  });

  it('contains no second request handler of the SDK', () => {
    const unused = /node-http-handler|endpoint-discovery|event-streams/;
    for (const { name } of callersOfDynamoDb)
      expect(contentsOf(name).filter((file) => unused.test(file))).toEqual([]);
  });

  it.each(consumers)(
    'of $name can be loaded, with the environment as its only credential provider',
    async ({ name }) => {
      const { outputs } = buildCallers().metafile;
      const { bytes = Number.NaN, inputs = {} } = outputs[`${name}.mjs`] ?? {};
      expect(bytes).toBeLessThan(MAX_BYTES_OF_CALLERS);
      expect(Object.keys(inputs).filter((file) => /credential-provider-(node|sso|ini)/.test(file))).toEqual(
        [],
      );
      await inNewFolder(async (folder) => {
        writeBundle({ name, assets: [] }, folder, join(folder, 'maps'));
        const script = `const { handler } = await import('./index.mjs'); console.log(typeof handler)`;
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--input-type=module', '-e', script],
          {
            cwd: folder,
            env: { ...process.env, ...CONSUMER_ENVIRONMENT },
          },
        );
        expect(stdout.trim()).toBe('function');
      });
    },
  );

  it('of the explorer contains the documentation of every group, and no DynamoDB client', () => {
    const files = contentsOf('explorer');
    const texts = endpointGroups.map(({ name }) => `functions/${name}/openapi.ts`);
    expect(files).toEqual(expect.arrayContaining(texts));
    expect(files.filter((file) => /@aws-sdk|\/repository\.ts$|lib\/dynamodb\/client/.test(file))).toEqual([]);
  });
});
