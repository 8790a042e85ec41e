import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

test('npm run load finds all acknowledged writes', async () => {
  const args = ['--seconds', '2', '--connections', '4', '--bugs', '100'];
  const env = { ...process.env, DYNAMODB_ENDPOINT: dynamoDbEndpoint() };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^steady: 4 connections for 1 s, \d+ requests\/s/m);
  expect(stdout).toMatch(/^No problems$/m);
});
