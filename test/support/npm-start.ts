import { afterEach } from 'vitest';
import { hasJava } from '../../infra/local/database/dynamodb-local.ts';
import { embeddedBinary } from '../../infra/local/database/embedded.ts';
import { isLong } from './sample.ts';
import { type Started, start } from './start-process.ts';

export const ADMIN_KEY = 'AdminDemoKey0000000000000000000000000000';
export const BARE = ['--port', '0', '--memory', '--empty'];

/** The databases that `npm start` can start on this machine, with the name of their process. */
const DATABASES = [
  { database: 'embedded', process: 'dynoxide', isThere: embeddedBinary() !== undefined },
  { database: 'dynamodb-local', process: 'java', isThere: hasJava() },
].filter(({ isThere }) => isThere);

/** `npm test` uses the first, a run with `RUNS` each. */
export const SOME_DATABASES = isLong ? DATABASES : DATABASES.slice(0, 1);

/** Starts `npm start`, which ends after each test. */
export function useNpmStart() {
  const started: Started[] = [];
  afterEach(async () => {
    for (const one of started.splice(0)) {
      if (one.child.exitCode === null) one.child.kill('SIGTERM');
      await one.ended();
    }
  });
  return {
    started,
    startIt(args: string[], environment?: NodeJS.ProcessEnv, folder?: string): Started {
      const one = start(args, environment, folder);
      started.push(one);
      return one;
    },
  };
}

/** Comments on bug 1 of the demo as its administrator. @param url of the service */
export const comment = (url: string) =>
  fetch(`${url}/rest/bug/1/comment`, {
    method: 'POST',
    headers: { 'x-bugzilla-api-key': ADMIN_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ comment: 'Seen?' }),
  });
