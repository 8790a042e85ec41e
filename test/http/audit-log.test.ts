import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuditEntry,
  auditAction,
  auditRepository,
  storedEntry,
} from '../../lib/people/audit/repository.ts';
import { batchWrite, transactWrite } from '../../lib/table/write.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { times } from '../support/times.ts';

const bugless = useStarted(() => startBuglessWithPermissions());
const read = (query = '', key: string | undefined = keys.admin) =>
  bugless.call('GET', `/rest/bugless/audit${query}`, { key });

const entryOf = (number: number): AuditEntry => ({
  time: `2026-01-02T03:04:${String(number % 60).padStart(2, '0')}Z`,
  who: number % 2 === 0 ? 'even@example.com' : 'odd@example.com',
  command: `user change number-${number}@example.com`,
  version: '1.2.0',
  state: 'done',
});
/** A few more than one request reads. */
const COUNT = 2_100;

beforeAll(async () => {
  await batchWrite(
    bugless.table,
    times(COUNT, (number) => storedEntry(entryOf(number), `token-${number}`)),
  );
});

/** Follows `next` to the end. */
async function readAll(query: string): Promise<{ entries: AuditEntry[]; pages: number }> {
  const entries: AuditEntry[] = [];
  let [next, pages] = ['', 0];
  do {
    const { status, body } = await read(`?${query}${next === '' ? '' : `&before=${next}`}`);
    expect(status).toBe(200);
    entries.push(...body.entries);
    next = body.next ?? '';
    pages += 1;
  } while (next !== '');
  return { entries, pages };
}

describe('GET /rest/bugless/audit', () => {
  it('has what was changed over REST, newest first, with the values before and after', async () => {
    await bugless.call('PUT', '/rest/product/Alpha', { key: keys.admin, body: { description: 'Audited' } });
    const { status, body } = await read('?of=alpha&since=2026-02-01T00:00:00Z');
    expect(status).toBe(200);
    expect(body).toEqual({
      entries: [
        expect.objectContaining({
          who: 'admin@example.com',
          command: 'rest change product',
          changes: [
            {
              kind: 'product',
              name: 'Alpha',
              fields: { description: { removed: expect.any(String), added: 'Audited' } },
            },
          ],
        }),
      ],
    });
  });

  it('finds what was renamed by its former name', async () => {
    await bugless.call('PUT', '/rest/product/beta', { key: keys.admin, body: { name: 'gamma' } });
    const commands = (await read('?of=BETA')).body.entries.map(({ command }: AuditEntry) => command);
    expect(commands).toEqual(['rest change product']);
  });

  it('has the requests of one second newest first, too', async () => {
    for (const milliseconds of ['900', '007', '080']) {
      const now = () => new Date(`2026-03-01T00:00:00.${milliseconds}Z`);
      const note = { who: 'order@example.com', command: `rest ${milliseconds}`, changes: [] };
      await transactWrite(bugless.table, [auditAction({ ...bugless.table, now }, note)]);
    }
    const { body } = await read('?by=order@example.com');
    const commands = body.entries.map(({ command }: AuditEntry) => command);
    expect(commands).toEqual(['rest 900', 'rest 080', 'rest 007']);
  });

  it('leads through all entries by `next`', async () => {
    const { entries } = await readAll('limit=500&by=@example.com&of=user%20change');
    expect(entries).toHaveLength(COUNT);
    expect(new Set(entries.map(({ command }) => command)).size).toBe(COUNT);
    const listed = entries.map(({ time }) => time);
    expect(listed).toEqual(listed.toSorted().reverse());
  });

  it('reads a bounded part for each request, whether or not entries match', async () => {
    const first = await read('?by=nosuch');
    expect(first.body).toEqual({ entries: [], next: expect.any(String) });
    const { entries, pages } = await readAll('by=EVEN&of=number-4@');
    expect(entries.map(({ command }) => command)).toEqual(['user change number-4@example.com']);
    expect(pages).toBeGreaterThan(1);
  });

  it('has at most 100 changes of an entry, and long values are cut', async () => {
    const fields = { description: { removed: 'x'.repeat(5_000), added: '' } };
    const changes = times(150, (n) => ({ kind: 'component', name: `Many / ${n}`, fields }));
    const entry = { ...entryOf(0), command: 'component change many', changes };
    await auditRepository(bugless.table).put(entry, 'many');
    const [found] = (await readAll('of=component%20change%20many')).entries;
    expect(found?.changes).toHaveLength(101);
    expect(found?.changes?.at(-1)).toEqual({ kind: 'more', name: '50 more', fields: {} });
    expect(found?.changes?.[0]?.fields['description']?.removed).toMatch(/^x{400,600}…$/);
  });

  it('begins with a time', async () => {
    const { entries } = await readAll('limit=500&of=number-&since=2026-01-02T03:04:59Z');
    expect(entries).toHaveLength(Math.floor((COUNT - 59) / 60) + 1);
  });

  it.each([
    ['no login', undefined, 410],
    ['an administrator of products', keys.editor, 304],
    ['a user', keys.plain, 304],
  ])('is not for %s', async (_, key, code) => {
    const { status, body } = await bugless.call('GET', '/rest/bugless/audit', { key });
    expect([status, body.code]).toEqual([401, code]);
  });

  it.each([
    ['limit=0', 53],
    ['limit=501', 53],
    ['limit=x', 52],
    ['since=yesterday-ish', 53],
    ['before=xyz', 53],
  ])('refuses %s', async (query, code) => {
    const { status, body } = await read(`?${query}`);
    expect([status, body.code]).toEqual([400, code]);
  });
});
