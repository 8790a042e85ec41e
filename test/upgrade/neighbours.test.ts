import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Item } from '../../lib/table/read.ts';
import { sequence } from '../model/arbitrary-requests.ts';
import { checkProperty, TIMEOUT } from '../model/check-property.ts';
import { resolveTimes, send } from '../model/exchange.ts';
import { readStoredValues } from '../model/generated-values.ts';
import { ALL_CALLERS, type CallerName, start } from '../model/initial-catalogue.ts';
import { predict } from '../model/linearize.ts';
import { predicted, readState, responsesOf } from '../model/read-state.ts';
import { worldOf } from '../model/world.ts';
import { type Bugless, serve, startBugless } from '../support/bugless.ts';
import { catalogueOfLines, exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { keys } from '../support/keys.ts';
import { restore } from '../support/restore-table.ts';
import { isLong } from '../support/sample.ts';
import { allItems } from '../support/table-items.ts';
import {
  countWithin,
  lostAttributes,
  type NextVersion,
  showsAttribute,
  startNextVersion,
} from './next-version.ts';

/** What each caller sees is tested with one version. */
const READERS: CallerName[] = isLong ? ALL_CALLERS : ['admin'];

let next: NextVersion;
let current: Bugless;
let other: Bugless;
let before: Item[];

beforeAll(async () => {
  next = await startNextVersion();
  current = await startBugless(start);
  other = await serve(current.table, { DYNAMODB_ENDPOINT: next.endpoint });
  before = await allItems(current.table);
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

it(
  'this version and the next minor one serve one table together, and no attribute is lost',
  () =>
    checkProperty(sequence, async (requests) => {
      await restore(current.table, before);
      next.written.clear();
      const bugless = await startBoth();
      let world = worldOf(start);
      for (const request of requests) {
        const exchange = await send(bugless, resolveTimes(request, world));
        const stored = await readStoredValues(bugless, world, [exchange]);
        const { after, response } = predict(world, exchange, stored);
        expect({ request, response: exchange.response }).toEqual({ request, response });
        world = after;
      }
      const state = await readState(bugless, world, READERS);
      expect(responsesOf(state)).toEqual(predicted(world, state));
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
