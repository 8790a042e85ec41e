import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBundle } from '../../infra/stack/bundle.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
const json = (file: string) => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));

describe('the scripts of package.json', () => {
  it.each(Object.entries<string>(json('package.json').scripts))(
    '%s is one command, without syntax of a POSIX shell',
    (_, script) => expect(script).toMatch(/^exec [a-z]+( [\w./-]+)*$/),
  );

  it('say to run npm ci where the packages are not installed, with any Node', () =>
    inNewFolder(async (folder) => {
      cpSync(join(PROJECT, 'infra/run.js'), join(folder, 'infra/run.js'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const { status, stderr } = spawnSync(process.execPath, ['infra/run.js', 'infra/local/start.ts'], {
        ...{ cwd: folder, encoding: 'utf8' },
      });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^.* are not installed: run npm ci first\.\n$/),
      ]);
    }));

  it.each(['start', 'test', 'admin'])('of %s begins with what says that', (name) => {
    expect(json('package.json').scripts[name]).toMatch(/^exec node infra\/run\.js /);
  });

  it('can begin with exec on Windows too', () => {
    const script = join(PROJECT, 'node_modules/windows-exec/exec.js');
    const { status, stdout } = spawnSync(process.execPath, [script, 'node', '-p', '1+1'], {
      encoding: 'utf8',
    });
    expect([status, stdout.trim()]).toEqual([0, '2']);
  });
});

describe('what is deployed as a function', () => {
  it('is its bundle and its assets, without the source map, whatever the paths contain', () =>
    inNewFolder(async (folder) => {
      const output = join(folder, 'out & more');
      mkdirSync(output);
      const maps = join(folder, 'new folder/maps');
      writeBundle(
        { name: 'comments', assets: [{ name: 'page.html', source: 'package.json' }] },
        output,
        maps,
      );
      expect(readdirSync(output)).toEqual(['index.mjs', 'page.html', 're2js.mjs']);
      expect(readFileSync(join(output, 'page.html'), 'utf8')).toBe(
        readFileSync(join(PROJECT, 'package.json'), 'utf8'),
      );
      const { sources } = JSON.parse(readFileSync(join(maps, 'comments.mjs.map'), 'utf8'));
      expect(sources).toContain('functions/comments/index.ts');
      expect(readFileSync(join(output, 'index.mjs'), 'utf8')).not.toContain('sourceMappingURL');
    }));

  it('has options of the stage as JSON files, where they have values', () =>
    inNewFolder(async (folder) => {
      const assets = [{ name: 'webhooks.json', option: 'webhooks' }] as const;
      const maps = join(folder, 'maps');
      const files = (name: string, options?: { webhooks: object[] }) => {
        const output = join(folder, name);
        mkdirSync(output);
        writeBundle({ name: 'service-info', assets }, output, maps, options);
        return readdirSync(output);
      };
      expect(files('none')).toEqual(['index.mjs', 're2js.mjs']);
      expect(files('one', { webhooks: [{ name: 'jira' }] })).toEqual([
        'index.mjs',
        're2js.mjs',
        'webhooks.json',
      ]);
      expect(readFileSync(join(folder, 'one/webhooks.json'), 'utf8')).toBe('[{"name":"jira"}]');
    }));
});

it("cdk.json runs the app on the project's own Node, whichever Node runs cdk", () => {
  expect(json('cdk.json').app).toBe('npx node infra/app.ts');
});
