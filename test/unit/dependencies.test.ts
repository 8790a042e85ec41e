import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');

/** The folders of lib/ that each folder imports. */
function folderGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of globSync('lib/*/**/*.ts', { cwd: PROJECT })) {
    const folder = file.split('/')[1] ?? '';
    const imported = graph.get(folder) ?? new Set();
    graph.set(folder, imported);
    for (const [, path = ''] of readFileSync(join(PROJECT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const target = relative(PROJECT, join(PROJECT, dirname(file), path)).split('/');
      if (target.length > 2 && target[1] !== undefined && target[1] !== folder) imported.add(target[1]);
    }
  }
  return graph;
}

describe('the folders of lib', () => {
  it('do not depend on each other in a cycle', () => {
    const remaining = folderGraph();
    expect(remaining.size).toBeGreaterThan(8);
    for (;;) {
      const leaves = [...remaining].filter(
        ([, imported]) => ![...imported].some((one) => remaining.has(one)),
      );
      if (leaves.length === 0) break;
      for (const [folder] of leaves) remaining.delete(folder);
    }
    expect([...remaining.keys()]).toEqual([]);
  });
});

describe('the files of functions, lib and infra', () => {
  it('do not import each other in a circle', () => {
    const remaining = new Map(
      globSync('{functions,lib,infra}/**/*.ts', { cwd: PROJECT }).map((file) => {
        const text = readFileSync(join(PROJECT, file), 'utf8');
        const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
          relative(PROJECT, join(PROJECT, dirname(file), path)),
        );
        return [file, imported] as const;
      }),
    );
    expect(remaining.size).toBeGreaterThan(200);
    for (;;) {
      const leaves = [...remaining].filter(([, imported]) => !imported.some((one) => remaining.has(one)));
      if (leaves.length === 0) break;
      for (const [file] of leaves) remaining.delete(file);
    }
    expect([...remaining.keys()]).toEqual([]);
  });
});
