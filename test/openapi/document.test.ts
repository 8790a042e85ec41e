import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { allRoutes } from '../../functions/endpoint-groups.ts';
import { describeInterface, descriptions } from '../../functions/openapi.ts';
import { type BugzillaError, errors } from '../../lib/errors.ts';
import { openApiDocument, operationKey } from '../../lib/http/openapi/document.ts';
import { isDocumented, parametersOf } from '../../lib/http/openapi/documentation.ts';
import { VERSION } from '../../lib/version.ts';
import { inNewFolder } from '../support/start-process.ts';

const PROJECT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

// biome-ignore lint/suspicious/noExplicitAny: tests look into all of the document
const document: any = describeInterface('https://example.org/docs');

const operations = Object.entries(descriptions).flatMap(([group, { operations }]) =>
  Object.entries(operations).map(([key, operation]) => ({ group, key, operation })),
);

const documented = (path: string) => path.replaceAll('+}', '}');

describe('the document', () => {
  it('has exactly the routes, with unique operation ids', () => {
    const routes = allRoutes.filter(isDocumented);
    const wanted = routes.map(({ method, path }) => `${method} ${documented(path)}`);
    const found = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(found.toSorted()).toEqual(wanted.toSorted());
    expect(operations.map(({ key }) => key).toSorted()).toEqual(routes.map(operationKey).toSorted());
    const names = [...JSON.stringify(document.paths).matchAll(/"operationId":"(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(new Set(names).size).toBe(routes.length);
  });

  it('has every request parameter, with a description', async () => {
    const files = readdirSync(join(PROJECT, 'lib'), { recursive: true, encoding: 'utf8' });
    // The operations of accounts are for the pages alone.
    const schemaFiles = files.filter(
      (file) => file.endsWith('requests.ts') && !file.endsWith('account-requests.ts'),
    );
    expect(schemaFiles.length).toBeGreaterThan(4);
    for (const file of schemaFiles) {
      const exported: Record<string, unknown> = await import(join(PROJECT, 'lib', file));
      for (const [name, schema] of Object.entries(exported)) {
        if (!(schema instanceof z.ZodMiniObject)) continue;
        const users = operations.filter(({ operation }) =>
          Object.entries(schema.shape).every(([parameter, one]) =>
            parametersOf(operation).some((given) => given.name === parameter && given.schema === one),
          ),
        );
        expect(users, `${name} of ${file}`).not.toEqual([]);
      }
    }
    for (const { operation, key } of operations) {
      for (const { name, text } of parametersOf(operation)) expect(text, `${name} of ${key}`).not.toBe('');
    }
  });

  const OF_PAGES = new Set([
    ...[
      'format_unknown',
      'credentials_in_address',
      'origin_not_allowed',
      'host_invalid',
      'too_many_api_keys',
    ],
    'api_keys_too_fast',
    'unsubscribe_code_wrong',
    ...['session_required', 'session_missing', 'sign_in_unavailable', 'sign_in_code_wrong'],
  ]);

  it('has every error but those of pages and other formats than JSON', () => {
    const shown = new Set(
      Object.values<{ value: { code: number } }>(document.components.examples).map(({ value }) => value.code),
    );
    const named = Object.keys(document.components.examples).map((name) => name.replace(/_\d+$/, ''));
    for (const define of Object.values(errors)) {
      const error = (define as (...about: string[]) => BugzillaError)('x', 'x');
      if (OF_PAGES.has(error.name)) continue;
      expect(named).toContain(error.name);
      expect(shown).toContain(error.code);
    }
  });

  it('has examples that the schemas of requests accept', () => {
    for (const { operation, key } of operations) {
      for (const { name, schema, example, type } of parametersOf(operation)) {
        if (example === undefined) continue;
        for (const one of [schema, type?.() ?? schema]) {
          const { error } = z.safeParse(one, example);
          expect(error, `${name} of ${key}`).toBeUndefined();
        }
      }
    }
  });

  it('has the version of package.json', () => {
    expect(JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')).version).toBe(VERSION);
    expect(document.info.version).toBe(VERSION);
  });

  it('omits groups that are not deployed', () => {
    const without = JSON.stringify(describeInterface('', ['bugs']));
    expect(without).not.toContain('"/rest/bug"');
    expect(without).not.toContain('#/components/schemas/Bugs');
    expect(without).not.toContain('externalDocs');
  });
});

describe('building the document fails', () => {
  const route = {
    method: 'GET',
    path: '/rest/new/{what}',
    endpoint: 'new',
    authPolicy: 'always public',
  } as const;
  const texts = { apiDescription: '', documentationUrl: '' };
  const response = { status: 200, text: '', schema: z.object({}), example: {} } as const;
  const undocumented = { title: 'New', text: '' };

  it('when a route has no documentation', () => {
    const description = { ...undocumented, operations: {} };
    expect(() => openApiDocument([{ routes: [route], description }], texts)).toThrow('GET /rest/new/{what}');
  });

  it('when a path parameter has no documentation', () => {
    const operation = { summary: '', text: '', response, errors: [] };
    const description = { ...undocumented, operations: { 'GET /rest/new/{what}': operation } };
    expect(() => openApiDocument([{ routes: [route], description }], texts)).toThrow(
      'what of GET /rest/new/{what}',
    );
  });

  it('when a parameter of a schema has no documentation', () => {
    const schema = z.object({ forgotten: z.string() });
    const operation = { summary: '', text: '', response, errors: [], parameters: schema };
    expect(() => parametersOf(operation)).toThrow('no documentation');
  });
});

describe('npm run openapi', () => {
  const script = join(PROJECT, 'infra/openapi/main.ts');

  it('writes a file that Redocly accepts', () =>
    inNewFolder(async (folder) => {
      const file = join(folder, 'openapi.json');
      await run(process.execPath, [script, file]);
      const redocly = join(PROJECT, 'node_modules/@redocly/cli/bin/cli.js');
      const config = join(PROJECT, 'infra/openapi/redocly.yaml');
      const { stderr } = await run(process.execPath, [redocly, 'lint', '--config', config, file], {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      });
      expect(stderr).toContain('is valid');
      expect(stderr).not.toMatch(/warning/i);
    }));

  it('prints the same without a file', async () => {
    const { stdout } = await run(process.execPath, [script], { maxBuffer: 4_000_000 });
    expect(Object.keys(JSON.parse(stdout).paths)).toEqual(Object.keys(document.paths));
  });

  it('prints its usage', async () => {
    await expect(run(process.execPath, [script, '--help'])).rejects.toMatchObject({ code: 2 });
  });
});
