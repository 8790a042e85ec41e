import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment, aFile, aProduct, REPORTER } from '../support/small-catalogue.ts';

const TIME = '2024-01-02T03:04:05Z';
const KEYS = { insider: 'i'.repeat(40), reporter: 'r'.repeat(40) };
const OTHER = 'other@example.com';

const flag = (
  id: number,
  type_id: number,
  name: string,
  status: string,
  requestee: string | null,
  day = 2,
) => ({
  ...{ id, type_id, name, status, setter: id === 3 ? OTHER : REPORTER, requestee },
  ...{ creation_date: TIME, modification_date: `2024-01-0${day}T03:04:05Z` },
});
const attachment = (id: number, is_private: boolean, flags: object[]) =>
  aFile(id, { summary: `file ${id}`, creator: OTHER, is_private, flags });
const vault = { group: 'vault', entry: true, membercontrol: 'MANDATORY', canedit: false };
const types = ['bug', 'attachment'].map((target, at) => ({
  id: at + 1,
  name: ['needinfo', 'review'][at],
  target,
}));

const bugless = useStarted(() =>
  startBugless(
    parseNumbered({
      groups: ['vault', 'insiders'].map((name) => ({ name, description: name })),
      users: [
        { login: 'ins@example.com', groups: ['vault', 'insiders'], api_keys: [{ key: KEYS.insider }] },
        { login: REPORTER, real_name: 'Rita', api_keys: [{ key: KEYS.reporter }] },
        { login: OTHER },
      ],
      products: [
        aProduct(1, 'Alpha', { components: [{ name: 'Core' }], flag_types: types }),
        aProduct(2, 'Vault', {
          group_controls: [vault],
          flag_types: [{ id: 3, name: 'needinfo', target: 'bug' }],
        }),
      ],
      bugs: [
        aBug(1, {
          ...{
            component: 'Core',
            flags: [flag(1, 1, 'needinfo', '?', OTHER, 3), flag(2, 1, 'needinfo', '+', null)],
          },
          attachments: [
            attachment(1, false, [flag(3, 2, 'review', '?', null)]),
            attachment(2, true, [flag(4, 2, 'review', '?', OTHER)]),
          ],
          comments: [aComment()],
        }),
        aBug(2, {
          product: 'Vault',
          reporter: OTHER,
          groups: ['vault'],
          flags: [flag(5, 3, 'needinfo', '-', null)],
        }),
      ],
    }),
    { INSIDER_GROUP: 'insiders' },
  ),
);

const requests = async (query: string, key = KEYS.insider) =>
  (await bugless.call('GET', `/rest/bugless/requests?${query}`, { key })).body;
const ids = async (query: string, key?: string): Promise<number[]> =>
  (await requests(query, key)).requests.map(({ id }: { id: number }) => id);

describe('GET /rest/bugless/requests', () => {
  it.each([
    ['', [3, 4, 1]],
    ['status=%2B', [2]],
    ['status=%2B-', [2, 5]],
    ['status=all', [2, 3, 5, 4, 1]],
    [`requestee=${OTHER.toUpperCase()}`, [4, 1]],
    ['requestee=-', [3]],
    [`requester=${OTHER}`, [3]],
    [`requester=${OTHER}&requestee=${OTHER}`, []],
    [`requester=${OTHER}&requestee=${OTHER}&do_union=1`, [3, 4, 1]],
    ['type=review', [3, 4]],
    ['type=all&group=type', [1, 3, 4]],
    ['group=requester', [3, 4, 1]],
    ['status=all&group=category', [2, 3, 4, 1, 5]],
    ['status=all&product=Vault', [5]],
    ['status=all&product=Alpha&component=Core&bug_status=__closed__', []],
  ])('%s lists %j', async (query, wanted) => expect(await ids(query)).toEqual(wanted));

  it('`%user%` is who asks', async () => {
    expect(await ids('requester=%25user%25', KEYS.reporter)).toEqual([1]);
    expect((await bugless.call('GET', '/rest/bugless/requests?requestee=%25user%25')).body.code).toBe(410);
  });

  it('leaves out flags of bugs and attachments that the caller does not see', async () => {
    expect(await ids('status=all', KEYS.reporter)).toEqual([2, 3, 1]);
  });

  it('has the bug, the attachment and the people of a flag, as fields select', async () => {
    const { requests: shown } = await requests('type=review&requestee=-');
    expect(shown).toEqual([
      {
        ...{ id: 3, type_id: 2, name: 'review', status: '?', setter: OTHER, creation_date: TIME },
        ...{
          modification_date: TIME,
          bug_id: 1,
          summary: expect.any(String),
          product: 'Alpha',
          component: 'Core',
        },
        ...{ is_restricted: false, attachment_id: 1, attachment_summary: 'file 1' },
        setter_detail: expect.objectContaining({ name: OTHER }),
      },
    ]);
    const { requests: picked } = await requests('type=needinfo&include_fields=id,requestee_detail.name');
    expect(picked).toEqual([{ id: 1, requestee_detail: expect.objectContaining({ name: OTHER }) }]);
  });

  it.each([
    ['status=X', 129],
    ['group=bug', 53],
  ])('refuses %s', async (query, code) => expect((await requests(query)).code).toBe(code));

  it('names parameters that it ignores', async () => {
    const { headers } = await bugless.fetch('/rest/bugless/requests?requester=x&nosuch=1');
    expect(headers.get('x-bugless-ignored')).toBe('nosuch');
  });
});

describe('/request.cgi', () => {
  it('leads to CSV with the columns of 5.2, in which addresses are cut for anonymous readers', async () => {
    const page = await bugless.fetch('/request.cgi?ctype=csv&action=queue&type=needinfo', {
      redirect: 'manual',
    });
    expect(page.headers.get('location')).toBe('rest/bugless/request.csv?action=queue&type=needinfo');
    const lines = (await (await bugless.fetch('/request.cgi?ctype=csv&type=needinfo')).text()).split('\n');
    expect(lines).toEqual([
      '"Requester","Requestee","Flag","Status","Bug ID","Summary","Attachment ID","Attachment Description","Created","Product: Component"',
      expect.stringMatching(
        /^"Rita <reporter>","other","needinfo","\?",1,".*",,,"2024-01-03 03:04 UTC","Alpha: Core"$/,
      ),
    ]);
  });

  it('is a page for browsers', async () => {
    const { status, headers } = await bugless.fetch('/request.cgi?requestee=x');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });
});
