import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, 'main.ts');

test('npm run load runs its stages, and finds all acknowledged writes', async () => {
  const args = ['--seconds', '3', '--connections', '4', '--items', '500'];
  const { stdout, stderr } = await run(process.execPath, [MAIN, ...args]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^ramp: 1 connections for \d+ s, \d+ requests\/s, /m);
  expect(stdout).toMatch(/^steady: 4 connections for \d+ s, \d+ requests\/s, .* memory [\d.]+ MB/m);
  expect(stdout).toMatch(/^all +\d+( +[\d.]+){5}$/m);
  expect(stdout).toMatch(/^Heap after garbage collection: [\d.]+ MB before, [\d.]+ MB after$/m);
  expect(stdout).toMatch(/^Acknowledged: \d+ comments, \d+ products/m);
  expect(stdout).toMatch(/^No problems$/m);
}, 90_000);

test('npm run load with invalid options prints its usage, and exits with 2', async () => {
  const failed = await run(process.execPath, [MAIN, '--seconds', 'many']).catch((error) => error);
  expect(failed.code).toBe(2);
  expect(failed.stderr).toMatch(/^--seconds: .*\n\nUsage: npm run load/);
});
