import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminOf, runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { catalogueOfLines } from '../support/exported.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');

describe('npm run admin -- export FILE', () => {
  it('replaces an existing file by one that only its owner can read', async () => {
    const admin = adminOf(await newTable());
    await inNewFolder(async (folder) => {
      const file = join(folder, 'all.ndjson');
      await writeFile(file, 'old', { mode: 0o644 });
      expect(await admin('export', file)).toMatchObject({ code: 0 });
      expect(catalogueOfLines(await readFile(file, 'utf8'))).toHaveProperty('products');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['all.ndjson']);
    });
  });

  it('leaves the existing file when it fails', async () => {
    await inNewFolder(async (folder) => {
      const file = join(folder, 'all.ndjson');
      await writeFile(file, 'old');
      const unreachable = {
        TABLE_NAME: 'nosuch',
        DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
        DATABASE_RETRY_TIMEOUT_MS: '100',
      };
      expect(await runAdmin(['export', file], unreachable)).toMatchObject({ code: 1 });
      expect(await readFile(file, 'utf8')).toBe('old');
      expect(await readdir(folder)).toEqual(['all.ndjson']);
    });
  });
});

it('a reader that ends before the output of a command is no error', () => {
  const main = 'node infra/run.js infra/admin/main.ts --help';
  const { stderr } = spawnSync('sh', ['-c', `${main} | true`], { cwd: PROJECT, encoding: 'utf8' });
  expect(stderr).toBe('');
});
