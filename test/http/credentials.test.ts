import { describe, expect, it } from 'vitest';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);

const update = (body: object, key?: string) => bugless.call('PUT', '/rest/product/2', { key, body });

describe('a credential in the body', () => {
  it.each(CREDENTIAL_PARAMETERS)('counts as absent when %s is null or empty', async (name) => {
    for (const nothing of [null, '', ' ']) {
      expect((await update({ [name]: nothing }, keys.admin)).status).toBe(200);
      expect((await update({ [name]: nothing })).body.code).toBe(410);
    }
  });

  it('is invalid when it is not a string', async () => {
    expect((await update({ api_key: {} }, keys.admin)).body.code).toBe(306);
  });
});
