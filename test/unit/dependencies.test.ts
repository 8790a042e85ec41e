import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');

/** The folders of lib, room by room; each one imports only from those before it. `.biome.json` has the order of the rooms, too. */
const ORDER = [
  ...['lib/base', 'lib/table'],
  ...['lib/people/audit', 'lib/people', 'lib/people/saved-searches'],
  ...['lib/products', 'lib/products/flag-types'],
  ...[
    'lib/bugs/flags',
    'lib/bugs/attachments',
    'lib/bugs/comments',
    'lib/bugs/fields',
    'lib/bugs/change-log',
  ],
  ...['lib/bugs/store', 'lib/bugs/comment-tags', 'lib/bugs/change', 'lib/bugs/show'],
  ...['lib/search/index', 'lib/search/conditions', 'lib/search'],
  ...['lib/changes/watches', 'lib/changes/events', 'lib/changes/mail'],
  'lib/catalogue',
  ...['lib/http', 'lib/http/openapi'],
];
/** What the files beside the folders import from these. */
const BESIDE: Record<string, string> = { lib: 'lib/table', 'lib/bugs': 'lib/bugs/fields' };
/** Parts of one thing, which import each other. */
const WITHIN: Record<string, string> = {
  'lib/http/middleware': 'lib/http',
  'lib/http/response': 'lib/http',
};

const folderOf = (path: string): string => WITHIN[dirname(path)] ?? dirname(path);

const imports = globSync('lib/**/*.ts', { cwd: PROJECT }).flatMap((file) =>
  [...readFileSync(join(PROJECT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => ({
    ...{ file, imported: relative(PROJECT, join(PROJECT, dirname(file), path)) },
  })),
);

describe('the folders of lib', () => {
  it('are all in the order', () => {
    const folders = new Set(imports.map(({ file }) => folderOf(file)));
    expect([...folders].sort()).toEqual([...ORDER, ...Object.keys(BESIDE)].sort());
  });

  it('import only from folders before them', () => {
    const backward = imports.filter(({ file, imported }) => {
      const [from, to] = [folderOf(file), folderOf(imported)];
      const last = ORDER.indexOf(BESIDE[from] ?? from);
      return ORDER.indexOf(to) > last;
    });
    expect(backward).toEqual([]);
  });
});
