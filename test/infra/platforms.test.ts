import { execSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterBundlingCommand } from '../../infra/stack/after-bundling-command.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
const json = (file: string) => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));

describe('the scripts of package.json', () => {
  it.each(Object.entries<string>(json('package.json').scripts))(
    '%s is one command, without syntax of a POSIX shell',
    (_, script) => expect(script).toMatch(/^exec [a-z]+( [\w./-]+)*$/),
  );

  it('can begin with exec on Windows too', () => {
    const script = join(PROJECT, 'node_modules/windows-exec/exec.js');
    const { status, stdout } = spawnSync(process.execPath, [script, 'node', '-p', '1+1'], {
      encoding: 'utf8',
    });
    expect([status, stdout.trim()]).toEqual([0, '2']);
  });
});

describe('the hook after bundling', () => {
  it('moves the source map and copies assets with Node alone, whatever the paths contain', () =>
    inNewFolder(async (folder) => {
      const outputDir = join(folder, 'out & more');
      mkdirSync(outputDir);
      writeFileSync(join(outputDir, 'index.mjs.map'), '{}');
      writeFileSync(join(folder, 'a file.html'), 'page');
      const command = afterBundlingCommand({
        outputDir,
        sourceMap: join(folder, 'new folder/maps/comments.mjs.map'),
        assets: [{ source: join(folder, 'a file.html'), target: join(outputDir, 'page.html') }],
      });
      execSync(command, { env: {} });
      expect(readdirSync(outputDir)).toEqual(['page.html']);
      expect(readFileSync(join(folder, 'new folder/maps/comments.mjs.map'), 'utf8')).toBe('{}');
    }));
});

describe('cdk.json', () => {
  it("runs the app on the project's own Node, whichever Node runs cdk", () => {
    expect(json('cdk.json').app).toBe('npx node infra/app.ts');
  });
});
