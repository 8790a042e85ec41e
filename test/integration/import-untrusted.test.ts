import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listen } from '../../infra/local/listen.ts';
import { type CommandResult, runAdmin } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { times } from '../support/times.ts';

const KEY = 'k'.repeat(40);

/** Imports from a server that answers every request in the same way. */
async function importFrom(
  answer: (response: ServerResponse) => void,
  ...flags: string[]
): Promise<CommandResult> {
  const { url, stop } = await listen(createServer((_, response) => answer(response)));
  afterFile(stop);
  const { name } = await newTable();
  return runAdmin(['import', `${url}/`, '--rate', '500', ...flags], {
    TABLE_NAME: name,
    DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
    BUGZILLA_API_KEY: KEY,
  });
}

const refuse = (message: string) => (response: ServerResponse) =>
  response.writeHead(400).end(JSON.stringify({ error: true, code: 32000, message }));

describe('npm run admin -- import from a server that is not trusted', () => {
  it('ends when a response has more than 64 MB after decompression', async () => {
    const megabyte = gzipSync(Buffer.alloc(1024 * 1024, ' '));
    const body = Buffer.concat(times(65, () => megabyte));
    const { code, stderr } = await importFrom((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the response is larger than 64 MB');
  });

  it('names the target of a redirect without credentials and query', async () => {
    const { code, stderr } = await importFrom((response) =>
      response
        .writeHead(302, { location: `https://me:secret@tracker.example/rest?Bugzilla_api_key=${KEY}#${KEY}` })
        .end(),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('has moved to https://tracker.example/rest\n');
    expect(stderr).not.toMatch(/secret|kkkk|Bugzilla_api_key/);
  });

  it.each([[[]], [['--json']]])(
    'escapes control and invisible characters of messages (flags: %s)',
    async (flags) => {
      const { code, stdout, stderr } = await importFrom(
        refuse(`wrong \u001b]0;title\u0007 \u009b2J \u202e ${KEY}`),
        ...flags,
      );
      expect(code).toBe(1);
      expect(stderr).toContain('wrong \\u001b]0;title\\u0007 \\u009b2J \\u202e (the API key)');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    },
  );
});
