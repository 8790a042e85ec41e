import { expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';

const bugless = useStarted(startBugless);

it.each(['9999', '99999999999999999999999', '0'])(
  'the error for an unknown comment has the id as it was sent: %s',
  async (id) => {
    for (const path of [
      `/rest/bug/comment/%20${id}`,
      `/rest/bug/1/comment?comment_ids=1&comment_ids=${id}`,
    ]) {
      const { status, body } = await bugless.call('GET', path);
      expect([status, body.code]).toEqual([400, 111]);
      expect(body.message).toContain(`'${id}'`);
    }
  },
);
