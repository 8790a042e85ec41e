import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useService } from '../support/use-service.ts';
import { keys } from './demo.ts';

const require = createRequire(import.meta.url);

describe('bugzilla, from npm', () => {
  const demo = useService([]);
  const { default: BugzillaAPI } = require('bugzilla');
  const client = (key: string | undefined = keys.admin) => new BugzillaAPI(demo.url(), key);

  it('requests version and whoami first', async () => {
    expect(await client().version()).toBe('5.2');
    expect(await client().whoami()).toEqual({ id: 1, name: 'admin@bugless.example', real_name: 'Ada Admin' });
    await expect(new BugzillaAPI(demo.url()).whoami()).rejects.toThrow('401');
  });

  it('logs in by login and password', async () => {
    const api = new BugzillaAPI(demo.url(), 'dev@bugless.example', keys.dev);
    expect((await api.whoami()).id).toBe(2);
  });

  it('reads bugs with selected fields', async () => {
    const bugs = await client().getBugs([1, 2]).include(['id', 'summary', 'alias', 'cc', 'last_change_time']);
    expect(bugs).toMatchObject([
      { id: 1, alias: ['blurry-moon'], cc: ['admin@bugless.example'] },
      { id: 2, summary: 'Mount turns west when asked to turn east' },
    ]);
  });

  it('finds every field that it expects of a bug', async () => {
    const [bug] = await client().getBugs([1]);
    expect(bug).toMatchObject({
      id: 1,
      blocks: [2],
      op_sys: 'All',
      severity: 'major',
      keywords: ['regression'],
    });
  });

  it('searches', async () => {
    const ids = async (search: Promise<{ id: number }[]>) => (await search).map(({ id }) => id);
    expect(await ids(client().quicksearch('moon'))).toEqual([1]);
    expect(await ids(client().advancedSearch({ product: 'Abacus' }))).toEqual([4]);
    expect(await ids(client().advancedSearch(`${demo.url()}/buglist.cgi?product=Abacus`))).toEqual([4]);
  });

  it('changes a bug, and reads its history', async () => {
    const [changed] = await client().updateBug(2, {
      id_or_alias: 2,
      priority: 'High',
      cc: { add: ['guard@bugless.example'] },
    });
    expect(changed.changes.get('priority')).toEqual({ removed: '---', added: 'High' });
    const history = await client().bugHistory(2);
    expect(history.at(-1).changes).toEqual([
      { field_name: 'cc', removed: '', added: 'guard@bugless.example' },
      { field_name: 'priority', removed: '---', added: 'High' },
    ]);
  });

  it('reads comments of a bug and single comments', async () => {
    const comments = await client().getBugComments(1);
    expect(comments.map(({ count }: { count: number }) => count)).toEqual([0, 1, 2, 3]);
    expect(await client().getComment(2)).toMatchObject({
      id: 2,
      bug_id: 1,
      tags: ['confirmed', 'regression'],
    });
  });

  it('writes comments, public and private', async () => {
    const id = await client().createComment(2, 'From JavaScript', { is_private: true });
    expect(await client().getComment(id)).toMatchObject({ text: 'From JavaScript', is_private: true });
    await expect(client(keys.reporter).createComment(2, 'x', { is_private: true })).rejects.toThrow('401');
  });

  it('attaches a file', async () => {
    const [id] = await client().createAttachment(4, {
      ids: [4],
      data: Buffer.from([0, 255, 10]),
      file_name: 'a.bin',
      summary: 'Three bytes',
      content_type: 'application/octet-stream',
      is_private: true,
    });
    const { body } = await demo.call('GET', `/rest/bug/attachment/${id}`, { key: keys.admin });
    expect(body.attachments[id]).toMatchObject({ data: 'AP8K', size: 3, file_name: 'a.bin', is_private: 1 });
  });

  it('sets and clears flags', async () => {
    const [set] = await client().updateBug(4, { flags: [{ name: 'needinfo', status: '?', new: true }] });
    expect(set.changes.get('flagtypes.name')).toEqual({ removed: '', added: 'needinfo?' });
    const [bug] = await client().getBugs([4]);
    expect(bug.flags).toMatchObject([{ name: 'needinfo', status: '?', setter: 'admin@bugless.example' }]);
    await client().updateBug(4, { flags: [{ id: bug.flags[0].id, status: 'X' }] });
    expect((await client().getBugs([4]))[0].flags).toEqual([]);
  });

  it('changes and searches custom fields', async () => {
    const [changed] = await client().updateBug(4, { cf_build: '99' });
    expect(changed.changes.get('cf_build')).toEqual({ removed: '', added: '99' });
    expect(await client().advancedSearch({ cf_build: '99' }).include(['id'])).toEqual([{ id: 4 }]);
  });

  it('creates a bug, and adds a comment by an update', async () => {
    const bug = {
      product: 'Telescope',
      component: 'Lens',
      summary: 'Dust',
      version: '2.0',
      description: 'Grey',
    };
    const id = await client().createBug({
      ...bug,
      op_sys: 'All',
      platform: 'All',
      priority: '---',
      severity: 'normal',
    });
    const [changed] = await client().updateBug(id, { comment: { comment: 'Wiped', is_private: false } });
    expect(changed.id).toBe(id);
    expect((await client().getBugComments(id)).map(({ text }: { text: string }) => text)).toEqual([
      'Grey',
      'Wiped',
    ]);
  });
});

describe('bz, from npm', () => {
  const demo = useService([]);
  const { createClient } = require('bz');
  const client = (options: object = { api_key: keys.admin }) => {
    const api = createClient({ url: `${demo.url()}/rest/`, ...options });
    const method = (name: string) => promisify(api[name].bind(api));
    return {
      getBug: method('getBug'),
      searchBugs: method('searchBugs'),
      createBug: method('createBug'),
      updateBug: method('updateBug'),
      bugComments: method('bugComments'),
      addComment: method('addComment'),
      getUser: method('getUser'),
      bugAttachments: method('bugAttachments'),
      createAttachment: method('createAttachment'),
      getAttachment: method('getAttachment'),
    };
  };

  it('reads bugs and comments', async () => {
    expect(await client().getBug(1)).toMatchObject({ id: 1, product: 'Telescope' });
    expect(await client().searchBugs({ id: [1, 2], include_fields: 'id' })).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await client({}).bugComments(1)).toHaveLength(3);
    expect(await client().getUser('dev@bugless.example')).toMatchObject({ id: 2 });
  });

  it('creates a bug and adds comments in both ways', async () => {
    const bug = {
      product: 'Telescope',
      component: 'Lens',
      summary: 'Fog',
      version: '2.0',
      description: 'White',
    };
    const id = await client().createBug(bug);
    expect(await client().addComment(id, { comment: 'Thicker' })).toEqual({ id: expect.any(Number) });
    await client().updateBug(id, { comment: { body: 'Gone' } });
    const texts = (await client().bugComments(id)).map(({ text }: { text: string }) => text);
    expect(texts).toEqual(['White', 'Thicker', 'Gone']);
  });

  it('attaches a file, and reads it', async () => {
    const file = { ids: [4], data: 'aGVsbG8=', file_name: 'a', summary: 'Hello', content_type: 'text/plain' };
    const id = await client().createAttachment(4, file);
    expect(await client().getAttachment(id)).toMatchObject({ data: 'aGVsbG8=', summary: 'Hello' });
    expect(await client().bugAttachments(4)).toContainEqual(expect.objectContaining({ id }));
  });

  it('sets flags and custom fields', async () => {
    await client().updateBug(1, { flags: [{ name: 'blocker', status: '+' }], cf_build: '7' });
    const { flags, cf_build } = await client().getBug(1);
    expect({ flags, cf_build }).toMatchObject({ flags: [{ name: 'blocker', status: '+' }], cf_build: '7' });
  });

  it('logs in by login and password', async () => {
    const api = client({ username: 'dev@bugless.example', password: keys.dev });
    expect(await api.bugComments(1)).toHaveLength(4);
  });

  it('gets the messages of errors', async () => {
    await expect(client({}).getBug(3)).rejects.toThrow('You are not authorized to access');
  });
});
