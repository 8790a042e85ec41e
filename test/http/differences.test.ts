import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { KINDS } from '../bench/searches/kinds.ts';
import { startBugless, useStarted } from '../support/bugless.ts';

const PROJECT = join(import.meta.dirname, '../..');
const demo = parseCatalogue(
  JSON.parse(readFileSync(join(PROJECT, 'infra/local/demo-catalogue.json'), 'utf8')),
);
const document = readFileSync(join(PROJECT, 'functions/DIFFERENCES.md'), 'utf8');
const rows = [
  ...document.matchAll(
    /^\| ([\w–]+) \| `(\w+) (\S+)(?: (\{.*?\}))?` \| .* \| (\d+)(?:, (\d+)( bugs?)?)? \| .*\|$/gm,
  ),
].map(([, as = '', method = '', path = '', body, status, number, bugs]) => ({
  as,
  method,
  path,
  body,
  status: Number(status),
  code: bugs === undefined ? Number(number ?? 0) : 0,
  found: bugs === undefined ? undefined : Number(number),
}));
const KEYS: Record<string, string> = {
  admin: 'AdminDemoKey0000000000000000000000000000',
  me: 'DevDemoKey000000000000000000000000000000',
  reporter: 'ReporterDemoKey0000000000000000000000000',
};

/** The test files of those that one request does not show. */
const shown = [...document.matchAll(/^\| .* \| `([\w/-]+)` \|$/gm)].map(([, file]) => file);

describe('the differences of functions/DIFFERENCES.md', () => {
  const bugless = useStarted(() => startBugless(demo));

  it('are rows of its tables, each of which is read', () => {
    expect(rows.length + shown.length).toBe(document.match(/^\| (?!as |what |---)/gm)?.length);
  });

  it('have each kind of differences that searches beside Bugzilla explain', () => {
    for (const { name } of KINDS) expect(document).toContain(`| *${name}*`);
  });

  it.each([...new Set(shown)])('are shown by test/%s.test.ts', (file) => {
    expect(existsSync(join(PROJECT, `test/${file}.test.ts`))).toBe(true);
  });

  it.each(rows)('as $as: $method $path $body', async ({ as, method, path, body, status, code, found }) => {
    const reply = await bugless.call(method, path, {
      key: KEYS[as],
      ...(body === undefined ? {} : { body }),
    });
    expect([reply.status, reply.body.code ?? 0]).toEqual([status, code]);
    if (found !== undefined) expect(reply.body.bugs).toHaveLength(found);
  });
});
