import { describe, expect, it } from 'vitest';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { buildEvents } from '../../lib/changes/events/build-events.ts';
import { eventRepositories, readChange } from '../../lib/changes/events/change.ts';
import { newTable, useStarted } from '../support/bugless.ts';
import { NEW_BUG } from '../support/client.ts';
import { startBuglessWithEvents } from '../support/events.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';
import { allItems } from '../support/table-items.ts';
import { checkedDetail, type Detail } from '../support/webhook-schema.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBuglessWithEvents(withSeparators({ ...catalogue(), bugs: [] }), RECORDED_SETTINGS),
);

/** The catalogue with names that cannot be read back out of the texts of histories. */
function withSeparators(given: Catalogue): Catalogue {
  const { groups, users, products } = given;
  const [group, user] = [groups[0], users[0]];
  const flag = products.flatMap(({ flag_types }) => flag_types).find(({ name }) => name === 'needinfo');
  if (!group || !user || !flag) throw new Error('The catalogue is another one');
  const grouped = users.map((one) =>
    one.login === 'secret@example.com'
      ? { ...one, groups: [...(one.groups ?? []), 'Red, Blue', 'Red'] }
      : one,
  );
  return {
    ...given,
    groups: [...groups, { ...group, id: 900, name: 'Red, Blue' }, { ...group, id: 901, name: 'Red' }],
    users: [...grouped, { ...user, id: 900, login: 'who)(x,#1?@example.com', groups: [], api_keys: [] }],
    products: products.map(({ group_controls = [], flag_types = [], ...product }) => {
      const [control] = group_controls;
      const isGrouped = product.name === 'NoEntry' && control !== undefined;
      const named = (name: string) => (isGrouped ? [{ ...control, group: name, entry: false }] : []);
      const isFlagged = product.name === 'Alpha';
      return {
        ...product,
        group_controls: [...group_controls, ...named('Red, Blue'), ...named('Red')],
        flag_types: [
          ...flag_types,
          ...(isFlagged
            ? [
                { ...flag, id: 900, name: 'sure?(yes)' },
                { ...flag, id: 901, name: '#1-' },
              ]
            : []),
        ],
      };
    }),
  };
}

/** Sends a request, and returns the events that it makes. */
async function eventsOf(
  method: string,
  path: string,
  body: object,
  count: number,
  as = 'user',
): Promise<Detail[]> {
  const response = await bugless.call(method, path, { key: keys.get(as), body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return (await bugless.take(count)).map(checkedDetail);
}

const routingKeys = (events: Detail[]) => events.map(({ event }) => event.routing_key);

async function newBug(given: object = {}, as = 'user', count = 1): Promise<{ id: number; events: Detail[] }> {
  const events = await eventsOf('POST', '/rest/bug', { ...NEW_BUG, ...given }, count, as);
  return { id: events[0].bug.id, events };
}

describe('a new bug', () => {
  it('is one event with its description', async () => {
    const { events, id } = await newBug({ cf_text: 'some text', keywords: ['perf'] }, 'plain');
    expect(events).toMatchObject([
      {
        id: `${id}:create`,
        revision: 0,
        event: {
          ...{ action: 'create', target: 'bug', routing_key: 'bug.create' },
          user: { login: 'plain@example.com', real_name: 'Paul Plain' },
        },
        bug: {
          ...{
            product: 'Alpha',
            component: 'UI',
            operating_system: 'All',
            cf_text: 'some text',
            keywords: ['perf'],
          },
          assigned_to_detail: { login: 'user@example.com' },
          comment: { number: 0, body: 'It crashes.', is_private: false },
        },
      },
    ]);
  });

  it('with a private description is an event without it', async () => {
    const { events } = await newBug({ comment_is_private: true }, 'insider');
    expect(events[0].bug.comment).toBeUndefined();
    expect(JSON.stringify(events)).not.toContain('It crashes.');
  });

  it('that asks somebody has the flag', async () => {
    const flags = [{ name: 'needinfo', status: '?', requestee: 'tracker@example.com' }];
    const { events } = await newBug({ flags });
    expect(events[0].bug.flags).toMatchObject([
      { name: 'needinfo', value: '?', requestee: { login: 'tracker@example.com', real_name: 'Tim Tracker' } },
    ]);
  });

  it('that depends on another one changes that, too', async () => {
    const { id } = await newBug();
    const events = await eventsOf('POST', '/rest/bug', { ...NEW_BUG, depends_on: [id] }, 2);
    expect(routingKeys(events).sort()).toEqual(['bug.create', 'bug.modify:blocks']);
  });

  it('in a group is an event with its id only', async () => {
    const secret = { product: 'Secret', component: 'Vault', cc: ['user@example.com'] };
    const { id, events } = await newBug(secret, 'secret');
    expect(events).toEqual([
      {
        ...{ id: `${id}:create`, revision: 0, bug: { id, is_private: true } },
        event: { action: 'create', target: 'bug', routing_key: 'bug.create', time: expect.any(String) },
      },
    ]);
  });
});

describe('a change', () => {
  it('names the fields, and then has the comment', async () => {
    const { id } = await newBug();
    const body = {
      status: 'RESOLVED',
      resolution: 'FIXED',
      comment: { body: 'Fixed in 2.0.' },
      op_sys: 'Linux',
    };
    const [change, comment] = await eventsOf('PUT', `/rest/bug/${id}`, body, 2);
    expect(change).toMatchObject({
      ...{ id: `${id}:modify:1`, revision: 1 },
      event: {
        routing_key: 'bug.modify:operating_system,resolution,status',
        changes: [
          { field: 'operating_system', removed: 'All', added: 'Linux' },
          { field: 'resolution', removed: '', added: 'FIXED' },
          { field: 'status', removed: 'CONFIRMED', added: 'RESOLVED' },
        ],
      },
      bug: { status: 'RESOLVED', resolution: 'FIXED' },
    });
    expect(comment).toMatchObject({
      event: { routing_key: 'comment.create' },
      bug: { comment: { number: 1, body: 'Fixed in 2.0.' } },
    });
    expect(comment.id).toBe(`${id}:comment:${comment.bug.comment.id}`);
  });

  it('of hours is no event, and the comment with them is', async () => {
    const { id } = await newBug();
    await bugless.call('PUT', `/rest/bug/${id}`, { key: keys.get('tracker'), body: { estimated_time: 8 } });
    const events = await eventsOf(
      'POST',
      `/rest/bug/${id}/comment`,
      { comment: 'Two hours.', work_time: 2 },
      1,
      'tracker',
    );
    expect(routingKeys(events)).toEqual(['comment.create']);
    expect(JSON.stringify(events)).not.toMatch(/work_time|_time":"?8/);
  });

  it('of flags is one change for each flag', async () => {
    const { id } = await newBug();
    const ask = [
      { name: 'needinfo', status: '?', requestee: 'insider@example.com' },
      { name: 'approval', status: '?' },
    ];
    const [asked] = await eventsOf('PUT', `/rest/bug/${id}`, { flags: ask }, 1);
    expect(asked.event.routing_key).toBe('bug.modify:cc,flag.needinfo,flag.approval');
    expect(asked.event.changes.slice(1)).toEqual([
      { field: 'flag.needinfo', removed: '', added: '? (insider@example.com)' },
      { field: 'flag.approval', removed: '', added: '?' },
    ]);
    const answer = [
      { name: 'needinfo', status: 'X' },
      { name: 'approval', status: '+' },
    ];
    const [answered] = await eventsOf('PUT', `/rest/bug/${id}`, { flags: answer }, 1, 'admin');
    expect(answered.event.changes).toEqual([
      { field: 'flag.needinfo', removed: '? (insider@example.com)', added: '' },
      { field: 'flag.approval', removed: '?', added: '+' },
    ]);
  });

  it('of a drop-down field says nothing for its placeholder', async () => {
    const { id } = await newBug();
    const [event] = await eventsOf('PUT', `/rest/bug/${id}`, { cf_choice: 'One', cf_multi: ['red'] }, 1);
    expect(event.event.changes).toContainEqual({ field: 'cf_choice', removed: '', added: 'One' });
    expect(event.bug).toMatchObject({ cf_choice: 'One', cf_multi: ['red'] });
    const [back] = await eventsOf('PUT', `/rest/bug/${id}`, { cf_choice: '---' }, 1);
    expect(back.bug.cf_choice).toBe('');
  });

  it('of several bugs is an event of each', async () => {
    const [one, two] = [await newBug(), await newBug()];
    const events = await eventsOf(
      'PUT',
      `/rest/bug/${one.id}`,
      { ids: [one.id, two.id], whiteboard: '[x]' },
      2,
    );
    expect(events.map(({ bug }) => bug.id).sort()).toEqual([one.id, two.id].sort());
    expect(routingKeys(events)).toEqual(['bug.modify:whiteboard', 'bug.modify:whiteboard']);
  });

  it('that marks a duplicate is an event of both bugs', async () => {
    const [one, two] = [await newBug(), await newBug()];
    const events = await eventsOf('PUT', `/rest/bug/${two.id}`, { dupe_of: one.id }, 3);
    expect(
      events.map(({ bug, event }) => `${bug.id === one.id ? 'one' : 'two'} ${event.routing_key}`).sort(),
    ).toEqual(['one comment.create', 'two bug.modify:resolution,status', 'two comment.create']);
  });

  it('within one second of another has an event of its own', async () => {
    const { id } = await newBug();
    const [first] = await eventsOf('PUT', `/rest/bug/${id}`, { whiteboard: 'a' }, 1);
    const [second] = await eventsOf('PUT', `/rest/bug/${id}`, { whiteboard: 'b' }, 1);
    const [third] = await eventsOf('POST', `/rest/bug/${id}/comment`, { comment: 'c' }, 1);
    expect([first, second, third].map(({ id: event }) => event.replace(/\d+$/, 'n'))).toEqual([
      `${id}:modify:n`,
      `${id}:modify:n`,
      `${id}:comment:n`,
    ]);
    expect([first, second].map(({ event }) => event.changes[0].added)).toEqual(['a', 'b']);
  });
});

describe('a comment', () => {
  it('of many at once is an event each, in the order of the bug', async () => {
    const { id } = await newBug();
    const texts = Array.from({ length: 12 }, (_, index) => `Comment ${index}`);
    const responses = await Promise.all(
      texts.map((comment) =>
        bugless.call('POST', `/rest/bug/${id}/comment`, { key: keys.get('user'), body: { comment } }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(texts.map(() => 201));
    const events = (await bugless.take(texts.length)).map(checkedDetail);
    expect(events.map(({ bug }) => bug.comment.number)).toEqual(texts.map((_, index) => index + 1));
    expect(new Set(events.map(({ bug }) => bug.comment.body))).toEqual(new Set(texts));
  });

  it('written together with those of others, and with hours, has its own author and hours', async () => {
    const { id } = await newBug({ cc: ['admin@example.com'] });
    const authors = ['plain', 'tracker', 'insider', 'admin'];
    await Promise.all(
      authors.flatMap((as) =>
        [0, 1].map((n) => {
          const hours = as === 'tracker' ? { work_time: n + 1 } : {};
          const body = { comment: `Text of ${as}.`, ...hours };
          return bugless.call('POST', `/rest/bug/${id}/comment`, { key: keys.get(as), body });
        }),
      ),
    );
    const events = (await bugless.take(8)).map(checkedDetail);
    for (const { event, bug } of events) {
      expect(bug.comment.body).toBe(`Text of ${event.user.login.replace(/@.*/, '')}.`);
    }
    expect(events.length).toBe(8);
  });

  it('that is private is an event with ids only, and its privacy none for others', async () => {
    const { id } = await newBug();
    const [event] = await eventsOf(
      'POST',
      `/rest/bug/${id}/comment`,
      { comment: 'For insiders.', is_private: true },
      1,
      'insider',
    );
    const { comment } = event.bug;
    expect(event.bug).toEqual({
      id,
      is_private: false,
      comment: { id: expect.any(Number), is_private: true },
    });
    expect(event.event).not.toHaveProperty('user');
    const body = { comment_is_private: { [comment.id]: false }, whiteboard: '[seen]' };
    const [change] = await eventsOf('PUT', `/rest/bug/${id}`, body, 1, 'insider');
    expect(routingKeys([change])).toEqual(['bug.modify:whiteboard']);
  });

  it('that is long is cut, and says so', async () => {
    const { id } = await newBug();
    const comment = '🪐'.repeat(10_000);
    const [event] = await eventsOf('POST', `/rest/bug/${id}/comment`, { comment }, 1);
    expect(event.bug.comment).toMatchObject({ truncated: true, body: '🪐'.repeat(4_096) });
  });
});

describe('an attachment', () => {
  const FILE = { file_name: 'a.txt', summary: 'A file', content_type: 'text/plain', data: 'aGVsbG8K' };

  it('is an event with its flags, and its comment another one', async () => {
    const { id } = await newBug();
    const flags = [{ name: 'review', status: '?', requestee: 'user@example.com' }];
    const events = await eventsOf('POST', `/rest/bug/${id}/attachment`, { ...FILE, flags }, 3, 'plain');
    expect(routingKeys(events)).toEqual(['bug.modify:cc', 'attachment.create', 'comment.create']);
    expect(events[1].bug.attachment).toMatchObject({
      ...{ description: 'A file', file_name: 'a.txt', is_obsolete: false },
      flags: [{ name: 'review', value: '?', requestee: { login: 'user@example.com' } }],
    });
  });

  it('that changes is an event with the changes', async () => {
    const { id } = await newBug();
    const events = await eventsOf('POST', `/rest/bug/${id}/attachment`, FILE, 2);
    const { attachment } = events[0].bug;
    const body = { is_obsolete: true, comment: 'Old.', flags: [{ name: 'review', status: '+', new: true }] };
    const [change, comment] = await eventsOf('PUT', `/rest/bug/attachment/${attachment.id}`, body, 2);
    expect(change).toMatchObject({
      id: `${id}:attachment.modify:${attachment.id}:2`,
      event: {
        changes: [
          { field: 'attachments.isobsolete', removed: '0', added: '1' },
          { field: 'flag.review', removed: '', added: '+' },
        ],
      },
      bug: { attachment: { is_obsolete: true } },
    });
    expect(comment.event.routing_key).toBe('comment.create');
  });

  it('that is private is an event with ids only, whatever changes', async () => {
    const { id } = await newBug();
    const created = await eventsOf(
      'POST',
      `/rest/bug/${id}/attachment`,
      { ...FILE, is_private: true },
      2,
      'insider',
    );
    const { attachment } = created[0].bug;
    expect(attachment).toEqual({ id: expect.any(Number), is_private: true });
    const changed = await eventsOf(
      'PUT',
      `/rest/bug/attachment/${attachment.id}`,
      { summary: 'Still' },
      1,
      'insider',
    );
    expect(changed[0].event).toEqual({
      ...{
        action: 'modify',
        target: 'attachment',
        routing_key: 'attachment.modify',
        time: expect.any(String),
      },
    });
    expect(JSON.stringify([created, changed])).not.toMatch(/A file|Still|a\.txt/);
  });
});

describe('a bug that moves', () => {
  it('names the new and the former product beside the bug', async () => {
    const { id } = await newBug({}, 'admin');
    const place = { product: 'beta', component: 'Main', version: 'unspecified' };
    const [event] = await eventsOf('PUT', `/rest/bug/${id}`, place, 1, 'admin');
    expect([event?.bug.product, event?.products]).toEqual(['beta', ['beta', 'Alpha']]);
  });

  it('into a restricted product names none', async () => {
    const { id } = await newBug({}, 'admin');
    const place = { product: 'DropBox', component: 'Main', version: 'unspecified' };
    const events = await eventsOf('PUT', `/rest/bug/${id}`, place, 2, 'admin');
    expect(events.map(({ bug, products }) => [bug, products])).toEqual([
      [{ id, is_private: true }, undefined],
      [{ id, is_private: true }, undefined],
    ]);
  });
});

it('a bug that becomes private says so first, then nothing but ids; public again, so first, too', async () => {
  const { id } = await newBug({ product: 'NoEntry', component: 'Main' }, 'secret');
  const hide = {
    groups: { add: ['secret-team'] },
    summary: 'Hidden now',
    comment: { body: 'Hidden text' },
  };
  const hidden = await eventsOf('PUT', `/rest/bug/${id}`, hide, 3, 'secret');
  expect(routingKeys(hidden)).toEqual(['bug.modify:is_private', 'bug.modify', 'comment.create']);
  expect(hidden.every(({ bug, event }) => bug.is_private && event.user === undefined)).toBe(true);
  expect(JSON.stringify(hidden)).not.toMatch(/Hidden|secret-team|secret@/);
  const show = { groups: { remove: ['secret-team'] } };
  const shown = await eventsOf('PUT', `/rest/bug/${id}`, show, 2, 'secret');
  expect(routingKeys(shown)).toEqual(['bug.modify:is_private', 'bug.modify:groups']);
  expect(shown[0].event.changes).toEqual([{ field: 'is_private', removed: '1', added: '0' }]);
});

describe('a name with what separates names in histories', () => {
  it.each([
    ['of a group', ['Red, Blue']],
    ['of a group, with another that is a part of it', ['Red, Blue', 'Red']],
  ])('%s makes a bug private, and its removal public', async (_, groups) => {
    const { id } = await newBug({ product: 'NoEntry', component: 'Main' }, 'secret');
    const hidden = await eventsOf('PUT', `/rest/bug/${id}`, { groups: { add: groups } }, 2, 'secret');
    expect(routingKeys(hidden)).toEqual(['bug.modify:is_private', 'bug.modify']);
    const shown = await eventsOf('PUT', `/rest/bug/${id}`, { groups: { remove: groups } }, 2, 'secret');
    expect(routingKeys(shown)).toEqual(['bug.modify:is_private', 'bug.modify:groups']);
    expect(shown[1].event.changes).toEqual([
      { field: 'groups', removed: groups.toSorted().join(', '), added: '' },
    ]);
  });

  it('of a group that stays private makes no event of privacy', async () => {
    const { id } = await newBug({ product: 'NoEntry', component: 'Main' }, 'secret');
    await eventsOf('PUT', `/rest/bug/${id}`, { groups: { add: ['Red, Blue'] } }, 2, 'secret');
    const change = { groups: { add: ['Red'], remove: ['Red, Blue'] } };
    const events = await eventsOf('PUT', `/rest/bug/${id}`, change, 1, 'secret');
    expect(routingKeys(events)).toEqual(['bug.modify']);
  });

  it.each([
    ['sure?(yes)', 'who)(x,#1?@example.com'],
    ['#1-', 'who)(x,#1?@example.com'],
    ['sure?(yes)', 'insider@example.com'],
  ])('of the flag %s that asks %s is whole in its change', async (name, requestee) => {
    const { id } = await newBug();
    const field = `flag.${name}`;
    const changesOf = async (flag: object) => {
      const [event] = await eventsOf('PUT', `/rest/bug/${id}`, { flags: [{ name, ...flag }] }, 1, 'admin');
      return event.event.changes.filter((one: { field: string }) => one.field !== 'cc');
    };
    const asked = `? (${requestee})`;
    expect(await changesOf({ status: '?', requestee })).toEqual([{ field, removed: '', added: asked }]);
    expect(await changesOf({ status: '-' })).toEqual([{ field, removed: asked, added: '-' }]);
    expect(await changesOf({ status: 'X' })).toEqual([{ field, removed: '-', added: '' }]);
  });

  it.each([
    ['keywords', { keywords: { add: ['Ünï', 'perf'] } }, 'perf, Ünï'],
    ['alias', { alias: { add: ['a(b)?'] } }, 'a(b)?'],
    [
      'see_also',
      { see_also: { add: ['http://a.example.org/show_bug.cgi?id=1#c2,(3)'] } },
      'http://a.example.org/show_bug.cgi?id=1',
    ],
    ['cf_choice', { cf_choice: 'with, comma' }, 'with, comma'],
    ['cc', { cc: { add: ['who)(x,#1?@example.com'] } }, 'who)(x,#1?@example.com'],
  ])('in %s stands in the text of the change as in histories', async (field, body, added) => {
    const { id } = await newBug();
    const [event] = await eventsOf('PUT', `/rest/bug/${id}`, body, 1, 'admin');
    expect(event.event.changes).toEqual([{ field, removed: '', added }]);
  });
});

it('entries of the change log stay below 1,000 bytes with what they say of the change', async () => {
  const items = await allItems(bugless.table);
  const logged = items.filter(({ pk, events }) => pk.startsWith('CHANGED#') && events !== undefined);
  expect(logged.length).toBeGreaterThan(10);
  for (const item of logged) expect(Buffer.byteLength(JSON.stringify(item))).toBeLessThan(1_000);
});

it('a bug that becomes private while its change is read has nothing of what is written then', async () => {
  const { id } = await newBug({ product: 'NoEntry', component: 'Main' }, 'secret');
  const file = { file_name: 'a.txt', summary: 'A file', content_type: 'text/plain', data: 'aGVsbG8K' };
  const [created] = await eventsOf('POST', `/rest/bug/${id}/attachment`, file, 2, 'secret');
  const attachment = created.bug.attachment.id;
  const sources = eventRepositories(bugless.table, () => new Date());
  const change = async (path: string, body: object) => {
    const { status } = await bugless.call('PUT', path, { key: keys.get('secret'), body });
    expect(status).toBe(200);
  };
  const byPointers: typeof sources.attachments.byPointers = async (pointers) => {
    await change(`/rest/bug/${id}`, { groups: { add: ['secret-team'] } });
    await change(`/rest/bug/attachment/${attachment}`, { summary: 'Hidden summary' });
    return sources.attachments.byPointers(pointers);
  };
  const logged = { kind: 'changed', time: created.event.time, revision: 1, comments: [1, 1] } as const;
  const racing = { ...sources, attachments: { ...sources.attachments, byPointers } };
  const read = await readChange(id, { ...logged, comments: [1, 1] }, racing);
  expect(read === undefined ? [] : buildEvents(read)).not.toHaveLength(0);
  expect(JSON.stringify(read === undefined ? [] : buildEvents(read))).not.toContain('Hidden summary');
  await bugless.take(3);
});

it('an import, or a file that is applied, is no event', async () => {
  const items = await allItems(await newTable(catalogue()));
  expect(items.some(({ pk }) => pk.startsWith('CHANGED#'))).toBe(true);
  expect(items.every(({ events }) => events === undefined)).toBe(true);
});
