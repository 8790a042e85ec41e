import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeInterface } from '../../functions/openapi.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { startBugless, useStarted } from '../support/bugless.ts';

const DEMO = join(import.meta.dirname, '../../infra/local/demo-catalogue.json');
const ADMIN_KEY = 'AdminDemoKey0000000000000000000000000000';

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
  schema?: { examples?: unknown[] };
}
interface Operation {
  parameters: Parameter[];
  requestBody?: {
    content: { 'application/json': { schema: { required?: string[] }; example: Record<string, unknown> } };
  };
  responses: object;
}

/** Operations that Bugless refuses, because it has no attachments. */
const REFUSED = ['POST /rest/bug/{id_or_alias}/attachment', 'GET /rest/bug/attachment/{attachment_id}'];

const { paths } = describeInterface('') as unknown as { paths: Record<string, Record<string, Operation>> };

/** Every operation with the example requests of the document. */
const operations = Object.entries(paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => {
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(parameters.find((one) => one.name === name)?.example)),
    );
    const query = new URLSearchParams();
    for (const { name, schema } of parameters.filter((one) => one.in === 'query')) {
      for (const value of [schema?.examples?.[0] ?? []].flat()) query.append(name, String(value));
    }
    if (path === '/rest/login') query.set('password', 'DevDemoKey000000000000000000000000000000');
    const json = requestBody?.content['application/json'];
    return {
      key: `${method.toUpperCase()} ${template}`,
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: query.size > 0 ? `${path}?${query}` : path,
      body: json?.example,
      required: json?.schema.required ?? [],
      success: Number(Object.keys(responses).find((status) => status.startsWith('2'))),
    };
  }),
);

const bugless = useStarted(async () => startBugless(await readCatalogueFile(DEMO)));

describe('the examples of the document', () => {
  it.each(operations.filter(({ key }) => !REFUSED.includes(key)))(
    'work with the demo: $name',
    async ({ method, path, body, success }) => {
      const { status, body: answer } = await bugless.call(method, path, { key: ADMIN_KEY, body });
      expect(status, JSON.stringify(answer)).toBe(success);
    },
  );

  it.each(
    operations.flatMap((operation) => operation.required.map((parameter) => ({ ...operation, parameter }))),
  )('is refused without what is required: $name without $parameter', async (operation) => {
    const { method, path, parameter } = operation;
    const { [parameter]: _, ...body } = operation.body ?? {};
    const { status } = await bugless.call(method, path, { key: ADMIN_KEY, body });
    // The missing parameter may also be the one that selects the product.
    expect([400, 401]).toContain(status);
  });
});
