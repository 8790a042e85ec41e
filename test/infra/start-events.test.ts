import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { ADMIN_KEY, comment, SOME_DATABASES, useNpmStart } from '../support/npm-start.ts';
import { inNewFolder } from '../support/start-process.ts';

const { startIt } = useNpmStart();

describe.each(SOME_DATABASES)('events with --database $database', ({ database }) => {
  it('go to the webhooks of the command line, again until they are accepted, and mails into files', () =>
    inNewFolder(async (folder) => {
      const bodies: string[] = [];
      const received = Promise.withResolvers<void>();
      const receiver = createHttpServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(bodies.length === 1 ? 503 : 204).end();
        if (bodies.length === 2) received.resolve();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const one = startIt(['--port', '0', '--database', database, '--webhook', `${hook}/x`], {}, folder);
        await comment(await one.ready());
        await received.promise;
        const [body = '', again] = bodies;
        expect(JSON.parse(body)).toMatchObject({
          ...{ webhook_id: 1, webhook_name: 'local-1' },
          ...{ event: { routing_key: 'comment.create' }, bug: { id: 1, comment: { body: 'Seen?' } } },
        });
        expect(again).toBe(body);
        await vi.waitFor(() => expect(one.stdout.match(/^mail {2}.*$/gm)?.length).toBe(2), {
          timeout: 60_000,
        });
        expect(one.stdout).toMatch(/^event {2}bug 1 {2}comment\.create$/m);
        const file = /^mail {2}dev@bugless\.example {2}(\S+)$/m.exec(one.stdout)?.[1] ?? '';
        expect(readFileSync(join(folder, file), 'utf8')).toContain('--- Comment #4 from Ada Admin');
      } finally {
        await stop();
      }
    }));

  it('of what was written just before a stop are sent after the next start', () =>
    inNewFolder(async (folder) => {
      const bodies: string[] = [];
      const received = Promise.withResolvers<void>();
      const receiver = createHttpServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(204).end();
        if (bodies.some((body) => body.includes('"Seen?"'))) received.resolve();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const args = ['--port', '0', '--database', database, '--webhook', hook];
        const one = startIt(args, {}, folder);
        expect((await comment(await one.ready())).status).toBe(201);
        one.child.kill('SIGTERM');
        expect(await one.ended()).toBe(0);
        const two = startIt(args, {}, folder);
        await two.ready();
        await received.promise;
        two.child.kill('SIGTERM');
        await two.ended();
      } finally {
        await stop();
      }
    }));
});

describe.each(SOME_DATABASES)('events, with --database $database', ({ database }) => {
  it('are taken from the service itself only', () =>
    inNewFolder(async (folder) => {
      const one = startIt(['--port', '0', '--memory', '--events', '--database', database], {}, folder);
      await one.ready();
      const { bus } = JSON.parse(readFileSync(join(folder, '.local/service.json'), 'utf8'));
      const headers = {
        ...{ 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' },
      };
      const entry = { Source: 'other', DetailType: 'x', EventBusName: 'local' };
      const detail = { id: '1', revision: 1, event: { routing_key: 'x' }, bug: { id: 1 } };
      const body = JSON.stringify({ Entries: [{ ...entry, Detail: JSON.stringify(detail) }] });
      const put = async (url: string, changed: Record<string, string>) =>
        (await fetch(url, { method: 'POST', headers: { ...headers, ...changed }, body })).status;
      expect(await put(bus, {})).toBe(200);
      expect(await put(new URL('/', bus).href, {})).toBe(403);
      expect(await put(bus, { origin: 'https://evil.example' })).toBe(403);
      expect(await put(bus, { 'content-type': 'text/plain' })).toBe(403);
      expect(await put(bus, { 'x-amz-target': 'AWSEvents.ListRules' })).toBe(403);
    }));

  it('of a wrong token are sent once, with the header of the command line; the webhook is listed', () =>
    inNewFolder(async (folder) => {
      const given: unknown[] = [];
      const receiver = createHttpServer(async (request, response) => {
        given.push(request.headers['x-api-key']);
        response.writeHead(401).end();
      });
      const { url: hook, stop } = await listen(receiver);
      try {
        const header = ['--webhook', `${hook}/x`, '--webhook-header', 'X-Api-Key: wrong token'];
        const one = startIt(['--port', '0', '--memory', '--database', database, ...header], {}, folder);
        const url = await one.ready();
        await comment(url);
        await vi.waitFor(() => expect(one.stdout).toMatch(/^webhook {2}local-1 .* 401 /m), {
          timeout: 60_000,
        });
        one.child.kill('SIGTERM');
        expect(await one.ended()).toBe(0);
        expect(given).toEqual(['wrong token']);
      } finally {
        await stop();
      }
    }));

  it('are off without --events, --webhook or a stage file, which a line says', async () => {
    const one = startIt(['--port', '0', '--memory', '--database', database]);
    const url = await one.ready();
    expect((await comment(url)).status).toBe(201);
    const list = await fetch(`${url}/rest/webhooks/list`, { headers: { 'x-bugzilla-api-key': ADMIN_KEY } });
    expect(await list.json()).toEqual({ webhooks: [] });
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
    expect(one.stdout).toMatch(/^Events, webhooks and mails: off; npm start -- --events turns them on/m);
    expect(one.stdout).not.toMatch(/^(event|mail) {2}/m);
  });

  it('are printed nowhere when it is quiet', async () => {
    const one = startIt(['--port', '0', '--memory', '--events', '--quiet', '--database', database]);
    expect((await comment(await one.ready())).status).toBe(201);
    one.child.kill('SIGTERM');
    expect(await one.ended()).toBe(0);
    expect([one.stdout.split('\n').length, one.stderr]).toEqual([2, '']);
  });
});
