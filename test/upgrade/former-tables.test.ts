import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { upgradeTable } from '../../infra/admin/upgrade/upgrade-table.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/table/client.ts';
import { CONVERSIONS } from '../../lib/table/format.ts';
import { formatKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite, deleteItem } from '../../lib/table/write.ts';
import { type Bugless, newTable, serve } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { RECORDED_SETTINGS } from '../support/recordings.ts';
import { isLong } from '../support/sample.ts';
import { required } from '../support/short-catalogue.ts';

interface Recorded {
  as: string;
  path: string;
  status: number;
  body: unknown;
}

interface Former {
  items: Item[];
  responses: Recorded[];
  /** API keys by the names of users */
  keys: ReadonlyMap<string, string>;
}

const readBinary = (_: string, value: { $binary?: string } | null) =>
  value?.$binary === undefined ? value : Buffer.from(value.$binary, 'base64');

/** A table of an earlier version with what that version responded to reads of it: test/README.md says how it was made. */
function openFormer(commit: string): Former {
  const packed = readFileSync(join(import.meta.dirname, `${commit}.zst`));
  const lines = zstdDecompressSync(packed)
    .toString()
    .split('\n')
    .map((line) => (line.includes('"$binary"') ? JSON.parse(line, readBinary) : JSON.parse(line)));
  return {
    items: lines.flatMap(({ item }) => item ?? []),
    responses: lines.flatMap(({ response }) => response ?? []),
    keys: new Map(lines.flatMap(({ keys }) => Object.entries<string>(keys ?? {}))),
  };
}

async function loadFormer(former: Former): Promise<Table> {
  const table = await newTable();
  await deleteItem(table, formatKey);
  await batchWrite(table, former.items);
  return table;
}

const silent = { begin: () => undefined, pause: () => undefined, scan: () => undefined };
const noWait = async () => undefined;

/**
 * A run with `RUNS` interrupts each upgrade, and repeats all reads of all versions; `npm test` the upgrade of the first, and each 23rd read
 * of the latest; mostly, three in a row are of one bug.
 */
const STEP = isLong ? 1 : 23;
const COMMITS = ['209597d', 'a5e964f'];
const formers = new Map(COMMITS.map((commit) => [commit, openFormer(commit)]));

/** The reads whose responses are others than those of the version that wrote the table. */
async function differences({ responses, keys }: Former, { call }: Bugless): Promise<string[]> {
  const differing: string[] = [];
  const repeated = responses.filter((_, index) => index % STEP === 0);
  for (const { as, path, status, body } of repeated) {
    const reply = await call('GET', path, { key: keys.get(as) });
    // Lists with a limit had none.
    const { total_matches: _, ...known } = reply.body;
    const isSame = [reply.body, known].some((one) => isDeepStrictEqual(one, body));
    if (reply.status !== status || !isSame) differing.push(`${as} ${path}`);
  }
  return differing;
}

/** Reads that this version answers otherwise on purpose, and why. */
const INTENDED: [pattern: RegExp, why: string][] = [
  [/days_elapsed|longdescs\.isprivate/, 'could not be searched for'],
  [/quicksearch=/, 'descriptions of attachments were found as comments'],
  [
    /^admin \/rest\/user[/?](1|names=admin%40example.com|match=admi)$/,
    'administrators lacked saved_searches',
  ],
  [/\/rest\/field\/bug\?include_fields=name,values$/, 'obsolete fields were listed'],
  [/^admin \/rest\/product\/2$|\/rest\/product\?type=/, 'flag types had no order'],
];
const isIntended = (read: string): boolean => INTENDED.some(([pattern]) => pattern.test(read));

/** Versions before 1.0.0 stored the groups of a bug in the order of the request. */
const withSortedGroups = ({ bugs, ...catalogue }: { bugs: { groups: string[] }[] }) => ({
  ...catalogue,
  bugs: bugs.map((bug) => ({ ...bug, groups: bug.groups.toSorted() })),
});

const WORDS = '/rest/bug?include_fields=id&longdesc=nebula&longdesc_type=allwords';
const USERS = '/rest/user?match=user';

describe.each(COMMITS)('a table that commit %s wrote', (commit) => {
  const former = required(formers.get(commit));
  const admin = { key: former.keys.get('admin') };
  let table: Table;
  let bugless: Bugless;
  beforeAll(async () => {
    table = await loadFormer(former);
    bugless = await serve(table, RECORDED_SETTINGS);
  });

  it('is served before its upgrade, without what that version did not store', async () => {
    for (const path of [WORDS, USERS]) {
      const { status, body } = await bugless.call('GET', path, admin);
      expect([path, status, body.message]).toEqual([path, 503, expect.stringContaining('admin -- upgrade')]);
    }
    expect((await bugless.call('GET', '/rest/bug/45', admin)).status).toBe(200);
    expect((await bugless.call('GET', '/rest/bug?summary=crash', admin)).status).toBe(200);
  });

  const isInterrupted = isLong || commit === COMMITS[0];
  it.runIf(isInterrupted)(
    'is upgraded beside writes, after interruptions, and has no violations then',
    async () => {
      const steps: string[] = [];
      const stopAt = (last: string) => (conversion: string) => {
        steps.push(conversion);
        if (conversion === last) throw new Error('interrupted');
      };
      const all = Object.keys(CONVERSIONS);
      for (const last of all) {
        await expect(upgradeTable(table, { ...silent, begin: stopAt(last) }, noWait)).rejects.toThrow();
      }
      // Each run begins with what the one before has begun.
      expect(steps).toEqual(all.flatMap((name, index) => [...all.slice(index - 1, index), name]));
      const writes = [45, 46, 47].map((id) =>
        bugless.call('POST', `/rest/bug/${id}/comment`, { ...admin, body: { comment: 'Written meanwhile' } }),
      );
      const { converted } = await upgradeTable(table, silent, noWait);
      for (const { status } of await Promise.all(writes)) expect(status).toBe(201);
      expect(converted).toEqual(all.slice(-1));
      expect(await upgradeTable(table, silent, noWait)).toEqual({ from: 1, to: 1, converted: [] });
      await expectNoViolations(table);
    },
  );

  if (!isInterrupted) describeUpgraded(former, () => table);
});

describe.runIf(isLong).each(COMMITS)('another table that commit %s wrote', (commit) => {
  const former = required(formers.get(commit));
  let table: Table;
  beforeAll(async () => {
    table = await loadFormer(former);
  });
  describeUpgraded(former, () => table);
});

/** Tests of a table that was not written to before its upgrade. */
function describeUpgraded(former: Former, tableOf: () => Table): void {
  describe('after an upgrade', () => {
    beforeAll(() => upgradeTable(tableOf(), silent, noWait));

    it('is read as that version read it, and has no violations', async () => {
      const differing = await differences(former, await serve(tableOf(), RECORDED_SETTINGS));
      expect(differing.filter((read) => !isIntended(read))).toEqual([]);
      expect(differing.length).toBeLessThan(20);
      expect(former.responses.length).toBeGreaterThan(1_400);
      await expectNoViolations(tableOf());
    });

    it('is exported to a file that an empty table takes', async () => {
      const catalogue = await exportedCatalogue(tableOf());
      const copy = await newTable();
      await applyCatalogue(copy, parseCatalogue(catalogue));
      expect(withSortedGroups(await exportedCatalogue(copy))).toEqual(withSortedGroups(catalogue));
      await expectNoViolations(copy);
    });
  });
}
