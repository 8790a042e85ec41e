import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { runAdmin } from '../support/admin.ts';
import { BARE, SOME_DATABASES, useNpmStart } from '../support/npm-start.ts';
import { sample } from '../support/sample.ts';
import { challengeOf } from '../support/sign-in.ts';
import { inNewFolder } from '../support/start-process.ts';

const { startIt } = useNpmStart();

describe.each(SOME_DATABASES)('the data of one --database $database', ({ database }) => {
  const kept = ['--port', '0', '--empty', '--quiet', '--database', database];

  it('is used by one npm start at a time, which npm run admin finds', () =>
    inNewFolder(async (folder) => {
      const one = startIt(kept, {}, folder);
      await one.ready();
      const announced = () => readFileSync(join(folder, '.local/service.json'), 'utf8');
      const before = announced();
      const second = startIt(kept, {}, folder);
      expect(await second.ended()).toBe(1);
      expect(second.stderr).toMatch(/^Another npm start uses the data in .*\. Stop it, or keep no data/);
      const third = startIt([...BARE, '--database', database], {}, folder);
      await third.ready();
      expect(third.stdout).toContain('npm run admin uses the service that was started before in this folder');
      const { stderr } = await runAdmin(['group', 'list'], {}, { folder });
      expect(stderr).toMatch(
        /^Several npm start run in this folder\. This is the first, http:\S+; .*\n {2}http:\S+: DYNAMODB_ENDPOINT=\S+ TABLE_NAME=\S+\n$/,
      );
      third.child.kill('SIGTERM');
      await third.ended();
      expect(announced()).toBe(before);
      one.child.kill('SIGTERM');
      await one.ended();
      await startIt(kept, {}, folder).ready();
    }));

  const rounds = Math.min(60, Math.ceil(Number(process.env['RUNS'] ?? 10) / 10));
  it('is used by one of three that start at once after one was killed', { timeout: rounds * 60_000 }, () =>
    inNewFolder(async (folder) => {
      let before = startIt(kept, {}, folder);
      for (let round = 1; round <= rounds; round += 1) {
        await before.ready();
        before.child.kill('SIGKILL');
        const three = [1, 2, 3].map(() => startIt(kept, {}, folder));
        const outcomes = await Promise.all(
          three.map((one) => Promise.race([one.ended(), one.ready().catch(() => 1)])),
        );
        expect(outcomes.filter((outcome) => outcome !== 1)).toEqual([expect.stringMatching(/^http/)]);
        const refused = three.filter((_, at) => outcomes[at] === 1).map(({ stderr }) => stderr);
        expect(refused).toEqual([1, 2].map(() => expect.stringContaining('Another npm start uses the data')));
        before = three.find((_, at) => outcomes[at] !== 1) ?? before;
      }
    }),
  );
});

describe.each(SOME_DATABASES)('the data of --database $database', ({ database }) => {
  const kept = ['--port', '0', '--empty', '--quiet', '--database', database];
  const file = database === 'embedded' ? 'embedded/bugless.sqlite' : 'dynamodb/shared-local-instance.db';

  it('is not replaced where its file was emptied', () =>
    inNewFolder(async (folder) => {
      const one = startIt(kept, {}, folder);
      await one.ready();
      one.child.kill('SIGTERM');
      await one.ended();
      writeFileSync(join(folder, '.local', file), '');
      const again = startIt(kept, {}, folder);
      expect(await again.ended()).toBe(1);
      expect(again.stderr).toContain(`${file} is empty: its data is lost. Restore it from a backup`);
      expect(readFileSync(join(folder, '.local', file), 'utf8')).toBe('');
    }));
});

describe('npm run admin in the folder of npm start', () => {
  it('uses its table, and its names of the groups that give rights', () =>
    inNewFolder(async (folder) => {
      await startIt(BARE, { INSIDER_GROUP: 'wizards' }, folder).ready();
      const add = (group: string) =>
        runAdmin(['user', 'add', `${group}@example.com`, '--group', group], {}, { folder });
      expect((await add('wizards')).stdout).toContain('[wizards]');
      expect((await add('insiders')).stderr).toContain("There is no group 'insiders'");
    }));

  it('says that none runs where its process is another one by now, which the next npm start replaces', () =>
    inNewFolder(async (folder) => {
      const gone = await listen(createHttpServer());
      await gone.stop();
      const file = join(folder, '.local/service.json');
      mkdirSync(join(folder, '.local'));
      const left = { pid: process.pid, url: gone.url, endpoint: gone.url, table: 'bugless' };
      writeFileSync(file, JSON.stringify(left));
      const { code, stderr } = await runAdmin(['user', 'list'], {}, { folder });
      expect([code, stderr]).toEqual([1, expect.stringContaining('no npm start runs in this folder')]);
      const url = await startIt(BARE, {}, folder).ready();
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url });
    }));

  it.each(sample([[], ['--events']], 2))(
    'invites who has no key, who then signs in by mail: npm start %s',
    (...events) =>
      inNewFolder(async (folder) => {
        const one = startIt([...BARE, ...events], {}, folder);
        const url = await one.ready();
        for (const login of ['ann@example.com', 'robot'])
          await runAdmin(['user', 'add', login], {}, { folder });
        const invited = await runAdmin(['key', 'create', '--all', '--send'], {}, { folder });
        expect(invited.stdout.trim()).toBe('ann@example.com');
        expect(invited.stderr).toMatch(/^Not mailed, because the login is no address: robot\. For a key: /m);
        const printed = async (pattern: RegExp) => {
          while (!pattern.test(one.stdout)) await once(one.child.stdout ?? one.child, 'data');
          return pattern.exec(one.stdout)?.[1] ?? '';
        };
        await printed(/^mail {2}ann@example.com {2}.*-invitation-/m);
        const post = async (path: string, body: object) => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
          return (await response.json()) as { login?: string };
        };
        const verifier = 'x'.repeat(40);
        await post('/rest/bugless/sign_in', { login: 'ann@example.com', challenge: challengeOf(verifier) });
        const code = await printed(/^sign in as ann@example.com: http\S+\/#sign-in=(\w+)\./m);
        expect((await post('/rest/bugless/session', { code, verifier })).login).toBe('ann@example.com');
      }),
  );
});
