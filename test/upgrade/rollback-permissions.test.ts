import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import released from '../../infra/stack/released-permissions.json' with { type: 'json' };
import type { TablePermission } from '../../lib/table/table.ts';
import { afterFile } from '../support/after-file.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

/** The policies of the version that a rollback goes to, which are deployed before its functions. */
const former: Record<string, readonly TablePermission[]> = released.at(-1)?.permissions ?? {};

/** Each action on each partition. */
const pairs = (permissions: readonly TablePermission[]): string[] =>
  permissions.flatMap(({ actions, partitions }) =>
    partitions.flatMap((partition) => actions.map((action) => `${action.split(':')[1]} ${partition}`)),
  );

/** The partitions on which a function makes calls now that its policy of that version denies. */
function deniedOf({ name, permissions }: (typeof endpointGroups)[number] | (typeof consumers)[number]) {
  const allowed = new Set(pairs(former[name] ?? []));
  const denied = pairs(permissions).filter((pair) => {
    const [action, partition] = pair.split(' ');
    // What a function writes it checks by the conditions of the writes.
    return !allowed.has(pair) && !(action === 'ConditionCheckItem' && allowed.has(`PutItem ${partition}`));
  });
  return [...new Set(denied.map((pair) => pair.split(' ')[1] ?? ''))].sort();
}

const readme = readFileSync(join(import.meta.dirname, '../../infra/UPGRADING.md'), 'utf8');
/** The rows of the table of infra/UPGRADING.md: functions, and the partitions on which calls are denied. */
const rows = [
  ...readme.matchAll(/^\| `([a-z-]+)` +\| (everything|(?:`[A-Z]{2}[A-Za-z#*]*`(?:, )?)+) +\|.*\|$/gm),
].map(([, name = '', partitions = '']) => [name, partitions.replaceAll('`', '').split(', ').sort()] as const);

describe('the policies of the version before', () => {
  it('deny what the table of infra/UPGRADING.md says, and no more', () => {
    const denied = [...endpointGroups, ...consumers].flatMap((group) => {
      const partitions = group.name in former ? deniedOf(group) : ['everything'];
      return partitions.length === 0 ? [] : [[group.name, partitions]];
    });
    expect(rows).toEqual(denied);
  });

  describe('while the functions are of this version', () => {
    let bugless: Bugless;
    beforeAll(async () => {
      const { table } = await startBugless();
      bugless = await serve(table, {}, async ({ name, permissions }, endpoint) => {
        const proxy = await startIamProxy(endpoint, former[name] ?? permissions);
        afterFile(() => proxy.stop());
        return proxy.endpoint;
      });
    });

    const BUG = {
      ...{
        product: 'Alpha',
        component: 'Core',
        version: '1.0',
        summary: 'A bug',
        description: 'It crashes.',
      },
      ...{ op_sys: 'All', platform: 'All' },
    };

    it.each<[string, string, string, object | undefined]>([
      ['filing a bug', 'POST', '/rest/bug', BUG],
      ['filing another one', 'POST', '/rest/bug', BUG],
      ['resolving a bug', 'PUT', '/rest/bug/1', { status: 'RESOLVED', resolution: 'FIXED' }],
      ['commenting', 'POST', '/rest/bug/1/comment', { comment: 'A comment' }],
      ['tagging', 'PUT', '/rest/bug/comment/10/tags', { add: ['late-tag'] }],
      [
        'attaching',
        'POST',
        '/rest/bug/1/attachment',
        { data: 'YQ==', file_name: 'a', summary: 'a', content_type: 'text/plain' },
      ],
      ['searching', 'GET', '/rest/bug?product=Alpha', undefined],
      ['reading a history', 'GET', '/rest/bug/1/history', undefined],
      ["reading one's own user", 'GET', '/rest/user/admin@example.com', undefined],
    ])('%s goes on', async (_, method, path, body) => {
      const reply = await bugless.call(method, path, {
        key: keys.admin,
        ...(body === undefined ? {} : { body }),
      });
      expect(reply.body).toEqual(expect.objectContaining({}));
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    });

    it.each([
      ['POST', '/rest/group', { name: 'new', description: 'A group' }],
      ['GET', '/rest/parameters', undefined],
      ['GET', '/buglist.cgi?cmdtype=runnamed&namedcmd=Mine&ctype=csv', undefined],
    ])('%s %s gets 503', async (method, path, body) => {
      const request = { key: keys.admin, ...(body === undefined ? {} : { body }) };
      const { status, headers } = await bugless.call(method, path, request);
      expect([status, headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    });
  });
});
