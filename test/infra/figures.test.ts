import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupsOf, PROJECT } from '../bench/environment.ts';
import costs from '../bench/results/cost.json' with { type: 'json' };
import { inNewFolder } from '../support/start-process.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const figures = new Map(Object.entries(costs));

describe('figures in documents are those that npm run bench -- cost has measured', () => {
  const section = /## Cost\n(.*?)\n## /s.exec(read('test/bench/README.md'))?.[1] ?? '';
  const rows = [...section.matchAll(/^\| (.+?) \| ([\d.]+) \|$/gm)];

  it('has rows', () => expect(rows.length).toBeGreaterThan(10));

  it.each(rows.map(([, operation = '', dollars]) => ({ operation, dollars })))('$operation', (row) => {
    expect(row.dollars).toBe(figures.get(`${row.operation}, user`));
  });

  it.each(['README.md', 'test/bench/README.md'])('a month of a team, in %s', (path) => {
    const month = Math.round(Number(figures.get('a month')));
    expect(read(path)).toMatch(new RegExp(`about ${month} dollars\\s+a\\s+month`));
  });

  it('a month of a tracker', () => {
    const month = Math.round(Number(figures.get('a month of a tracker')));
    expect(section).toMatch(new RegExp(`about ${month} dollars\\s+a\\s+month`));
  });
});

it('another checkout is measured by the groups that it has', () =>
  inNewFolder(async (folder) => {
    mkdirSync(join(folder, 'functions/bugs'), { recursive: true });
    writeFileSync(join(folder, 'functions/bugs/index.ts'), '');
    expect(groupsOf(folder).map(({ name }) => name)).toEqual(['bugs']);
    expect(groupsOf(PROJECT).map(({ name }) => name)).toContain('account');
  }));
