import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { startBugless, useStarted } from '../support/bugless.ts';

const PROJECT = join(import.meta.dirname, '../..');
const demo = parseCatalogue(
  JSON.parse(readFileSync(join(PROJECT, 'infra/local/demo-catalogue.json'), 'utf8')),
);
const document = readFileSync(join(PROJECT, 'functions/DIFFERENCES.md'), 'utf8');
const rows = [
  ...document.matchAll(/^\| ([\w–]+) \| `(\w+) (\S+)(?: (\{.*?\}))?` \| .* \| (\d+)(?:, (\d+))? \| .*\|$/gm),
].map(([, as = '', method = '', path = '', body, status, code]) => ({
  as,
  method,
  path,
  body,
  answer: [Number(status), Number(code ?? 0)],
}));
const KEYS: Record<string, string> = {
  admin: 'AdminDemoKey0000000000000000000000000000',
  me: 'DevDemoKey000000000000000000000000000000',
  reporter: 'ReporterDemoKey0000000000000000000000000',
};

describe('the differences of functions/DIFFERENCES.md', () => {
  const bugless = useStarted(() => startBugless(demo));

  it('are rows of its tables, each of which is read', () => {
    expect(rows.length).toBe(document.match(/^\| (?!as |---)/gm)?.length);
  });

  it.each(rows)('as $as: $method $path $body', async ({ as, method, path, body, answer }) => {
    const reply = await bugless.call(method, path, {
      key: KEYS[as],
      ...(body === undefined ? {} : { body }),
    });
    expect([reply.status, reply.body.code ?? 0]).toEqual(answer);
  });
});
