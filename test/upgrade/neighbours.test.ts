import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Item } from '../../lib/table/read.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { checkProperty, TIMEOUT } from '../support/check-property.ts';
import { catalogueOfLines, exported, exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { start } from '../support/random-requests/catalogue.ts';
import { asHttp, sequence } from '../support/random-requests/requests.ts';
import { restore } from '../support/restore-table.ts';
import { allItems } from '../support/table-items.ts';
import {
  countWithin,
  lostAttributes,
  type NextVersion,
  showsAttribute,
  startNextVersion,
} from './next-version.ts';

let next: NextVersion;
let current: Bugless;
let other: Bugless;
/** This version, on another table with the same content. */
let alone: Bugless;
let before: Item[];

beforeAll(async () => {
  next = await startNextVersion();
  current = await startBugless(start);
  other = await serve(current.table, { DYNAMODB_ENDPOINT: next.endpoint });
  before = await allItems(current.table);
  alone = await startBugless(start);
  await restore(alone.table, before);
});
afterAll(() => next.stop());

/** A new instance of each version; requests go to them by turns. */
async function startBoth() {
  const instances = [await current.startAnother(), await other.startAnother()] as const;
  let calls = 0;
  const call: Bugless['call'] = async (...request) => {
    calls += 1;
    const response = await instances[calls % 2 === 0 ? 0 : 1].call(...request);
    expect(showsAttribute(response.body)).toBe(false);
    return response;
  };
  return { ...current, call };
}

/** Without the times of this test; those of the catalogue are earlier or later. */
const undated = (value: unknown) => JSON.stringify(value)?.replaceAll(/20(?!24|99)\d\d-[\dT:-]+Z/g, 'now');

it(
  'this version and the next minor one serve one table together as this one alone, and no attribute is lost',
  () =>
    checkProperty(sequence, async (requests) => {
      for (const { table } of [current, alone]) await restore(table, before);
      next.written.clear();
      const [both, one] = [await startBoth(), await alone.startAnother()];
      for (const request of requests) {
        const { method, target, options } = asHttp(request);
        const [given, expected] = [
          await both.call(method, target, options),
          await one.call(method, target, options),
        ];
        expect([request, given.status, undated(given.body)]).toEqual([
          ...[request, expected.status, undated(expected.body)],
        ]);
      }
      expect(undated(await exportedCatalogue(current.table))).toBe(
        undated(await exportedCatalogue(alone.table)),
      );
      expect(await lostAttributes(current.table, next.written)).toEqual([]);
      await expectNoViolations(current.table);
    }),
  TIMEOUT,
);

type Request = readonly [method: string, path: string, body: object];

const bug = (whiteboard: string): Request => ['PUT', '/rest/bug/1', { whiteboard }];
const ATTACHMENT = { ids: [1], file_name: 'a.txt', summary: 'A', content_type: 'text/plain', data: 'YQ==' };

describe('what the next minor version stored is kept', () => {
  let own: Bugless;
  let others: Bugless;
  beforeAll(async () => {
    own = await startBugless();
    others = await serve(own.table, { DYNAMODB_ENDPOINT: next.endpoint });
  });

  it.each<[what: string, written: Request, changed: Request[]]>([
    [
      'by a change of a bug',
      bug('1'),
      [['PUT', '/rest/bug/1', { priority: 'High', cc: { add: ['admin@example.com'] } }]],
    ],
    ['by a change of several bugs', bug('2'), [['PUT', '/rest/bug/2', { ids: [1], whiteboard: 'both' }]]],
    ['by a change of a bug that is linked', bug('3'), [['PUT', '/rest/bug/2', { depends_on: { add: [1] } }]]],
    ['by a comment', bug('4'), [['POST', '/rest/bug/1/comment', { comment: 'More' }]]],
    ['by an attachment', bug('5'), [['POST', '/rest/bug/1/attachment', ATTACHMENT]]],
    [
      'by tags of a comment',
      ['POST', '/rest/bug/1/comment', { comment: 'New' }],
      [
        ['PUT', '/rest/bug/comment/COMMENT/tags', { add: ['tagged'] }],
        ['PUT', '/rest/bug/1', { comment_is_private: { COMMENT: true } }],
      ],
    ],
    [
      'by a change of an attachment',
      ['POST', '/rest/bug/1/attachment', ATTACHMENT],
      [['PUT', '/rest/bug/attachment/ATTACHMENT', { summary: 'B' }]],
    ],
    [
      'by changes of a product',
      ['PUT', '/rest/product/2', { description: 'Next' }],
      [
        ['PUT', '/rest/product/2', { description: 'Again', has_unconfirmed: false }],
        [
          'POST',
          '/rest/component',
          {
            product: 'Alpha',
            name: 'New',
            description: 'N',
            default_assignee: 'admin@example.com',
          },
        ],
      ],
    ],
    [
      'by a change of a user',
      ['PUT', '/rest/user/2', { full_name: 'Next' }],
      [['PUT', '/rest/user/2', { full_name: 'Again' }]],
    ],
    [
      'by a change of a group',
      ['POST', '/rest/group', { name: 'next-group', description: 'Next' }],
      [['PUT', '/rest/group/next-group', { description: 'Again' }]],
    ],
  ])('%s', async (_, [method, path, body], changes) => {
    const key = keys.admin;
    next.written.clear();
    const first = await others.call(method, path, { key, body });
    expect([first.status, first.body]).toEqual([expect.toSatisfy((status) => status < 300), first.body]);
    expect(next.written.size).toBeGreaterThan(0);
    const ids = { COMMENT: first.body.id, ATTACHMENT: first.body.ids?.[0] };
    const filled = (text: string) =>
      text.replace('COMMENT', String(ids.COMMENT)).replace('ATTACHMENT', String(ids.ATTACHMENT));
    for (const [changeMethod, changePath, changeBody] of changes) {
      const change = { key, body: JSON.parse(filled(JSON.stringify(changeBody))) };
      const { status, body: response } = await own.call(changeMethod, filled(changePath), change);
      expect([status, response]).toEqual([expect.toSatisfy((given) => given < 300), response]);
    }
    expect(await lostAttributes(own.table, next.written)).toEqual([]);
  });

  it('within flags, and within parts of products', async () => {
    const key = keys.admin;
    const send = async (at: Bugless, method: string, path: string, body: object) => {
      const { status, body: response } = await at.call(method, path, { key, body });
      expect([path, response.message, status < 300]).toEqual([path, undefined, true]);
    };
    const component = (name: string) => ({
      ...{ product: 'Alpha', name, description: 'A', default_assignee: 'admin@example.com' },
    });
    const flags = (...given: object[]) => ({ flags: given });
    await send(others, 'POST', '/rest/component', component('Next'));
    await send(others, 'POST', '/rest/flag_type', {
      name: 'wanted',
      target_type: 'bug',
      inclusions: ['Alpha'],
      description: 'T',
    });
    await send(
      others,
      'PUT',
      '/rest/bug/1',
      flags({ name: 'wanted', status: '?', requestee: 'admin@example.com', new: true }),
    );
    const stored = await countWithin(own.table);
    expect(stored).toEqual({ flags: 1, parts: expect.toSatisfy((count) => count > 5) });
    await send(own, 'POST', '/rest/component', component('Current'));
    await send(own, 'PUT', '/rest/bug/1', flags({ name: 'wanted', status: '+' }));
    await applyCatalogue(
      own.table,
      parseCatalogue({
        products: [
          {
            name: 'Alpha',
            description: 'Applied',
            components: [{ name: 'Next', description: 'B', default_assigned_to: 'admin@example.com' }],
          },
        ],
      }),
    );
    expect(await countWithin(own.table)).toEqual(stored);
    const file = await exported(own.table);
    expect(showsAttribute(file)).toBe(false);
    expect(() => parseCatalogue(catalogueOfLines(file))).not.toThrow();
  });
});
