import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');

it.skipIf(process.platform === 'win32')('tests whose database does not start print the cause', () =>
  inNewFolder(async (folder) => {
    const java = join(folder, 'java');
    const script = [
      '#!/bin/sh',
      `[ "$1" = -version ] && { echo 'openjdk version "17.0.1"' >&2; exit 0; }`,
      'echo "the disk is full" >&2; exit 1',
    ];
    writeFileSync(java, `${script.join('\n')}\n`);
    chmodSync(java, 0o755);
    const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--config', 'test/vitest.config.ts', 'test/unit/base/text.test.ts'];
    const child = spawn(process.execPath, args, {
      cwd: PROJECT,
      env: {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env['PATH']}`,
        TEST_DATABASE: 'dynamodb-local',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The tests need a database\. DynamoDB Local did not start:\n(.*\n)*the disk is full$/m,
    );
    expect(stdout).not.toContain('No test files found');
  }),
);
