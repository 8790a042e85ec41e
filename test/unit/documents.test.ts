import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
const files = globSync('{functions,lib,infra,test}/**/*', { cwd: PROJECT });
const names = new Set(files.map((file) => basename(file)));

const documents = globSync(['README.md', '{lib,functions,infra,test}/**/*.md'], { cwd: PROJECT }).filter(
  (path) => !/node_modules|results/.test(path),
);

describe.each(documents)('%s', (document) => {
  const text = read(document);

  it('names files that exist', () => {
    const named = [...text.matchAll(/`([\w./<>-]+\.tsx?)`/g)].map(([, path = '']) => path);
    const missing = named.filter((path) => {
      if (path.includes('<')) return false;
      const places = [PROJECT, join(PROJECT, dirname(document))];
      if (places.some((place) => existsSync(join(place, path)))) return false;
      return path.includes('/') ? !files.some((file) => file.endsWith(`/${path}`)) : !names.has(path);
    });
    expect(missing).toEqual([]);
  });

  it('has no line of prose over 140 characters', () => {
    const prose = text.replace(/^ *```[\s\S]*?^ *```$|^\|.*$/gm, '');
    expect(prose.split('\n').filter((line) => line.length > 140)).toEqual([]);
  });

  it('has no paragraph, and no point of a list, of over 15 lines', () => {
    const prose = text.replace(/^ *```[\s\S]*?^ *```$|^\|.*$/gm, '');
    const paragraphs = prose.split(/\n(?=\s*(?:[-*]|\d+\.) |\s*\n|#)/).map((one) => one.trim());
    expect(paragraphs.filter((one) => one.split('\n').length > 15)).toEqual([]);
  });

  it('links to files that exist', () => {
    const linked = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, path = '']) => path);
    const local = linked.filter((path) => !/^https?:/.test(path));
    expect(local.filter((path) => !existsSync(join(PROJECT, dirname(document), path)))).toEqual([]);
  });
});

describe('comments in the code', () => {
  it('name sections of documents that exist', () => {
    const sections = new Map<string, Set<string>>();
    const sectionsOf = (path: string) => {
      const found =
        sections.get(path) ??
        new Set([...read(path).matchAll(/^## (\d+)\./gm)].map(([, number = '']) => number));
      sections.set(path, found);
      return found;
    };
    const missing = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
      .flatMap((file) =>
        [...read(file).matchAll(/((?:functions|lib|infra|test)\/(?:[\w-]+\/)*README\.md) (\d+)/g)]
          .filter(
            ([, path = '', number = '']) => !existsSync(join(PROJECT, path)) || !sectionsOf(path).has(number),
          )
          .map(([reference]) => `${file}: ${reference}`),
      );
    expect(missing).toEqual([]);
  });

  it('name headings of documents that exist', () => {
    const missing = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('test/'))
      .flatMap((file) =>
        [...read(file).matchAll(/((?:(?:functions|lib|infra|test)\/)(?:[\w-]+\/)*\w+\.md), "([^"]+)"/g)]
          .filter(([, path = '', heading = '']) => {
            const headings = existsSync(join(PROJECT, path)) ? read(path).match(/^#+ .*$/gm) : null;
            return headings?.some((line) => line.replace(/^#+ (\d+\. )?/, '') === heading) !== true;
          })
          .map(([reference]) => `${file}: ${reference}`),
      );
    expect(missing).toEqual([]);
  });
});
