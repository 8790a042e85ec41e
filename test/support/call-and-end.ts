import { openHandlers } from '../bench/environment.ts';
import { keys } from './keys.ts';

/**
 * Calls the handlers concurrently on the table of the environment and prints the number of responses. The process must
 * end by itself afterwards.
 */
const { invoke } = await openHandlers(
  process.env['TABLE_NAME'] ?? '',
  process.env['DYNAMODB_ENDPOINT'] ?? '',
);
const requests = [
  { method: 'GET', target: '/rest/product' },
  { method: 'GET', target: '/rest/bug/1/comment' },
  { method: 'GET', target: '/rest/bug/no-such-bug/comment?comment_ids=1', key: keys.unknown },
  { method: 'POST', target: '/rest/bug/9/comment', key: keys.tracker, body: { comment: 'going' } },
  { method: 'PUT', target: '/rest/bug/comment/60/tags', key: keys.tagger, body: { add: ['going'] } },
  { method: 'GET', target: '/rest/bug/comment/tags/a', key: keys.tagger },
  // These fail before the rights of the caller are asked for, and without rights.
  { method: 'PUT', target: '/rest/bug/1', body: { ids: Array.from({ length: 99 }, (_, id) => id + 2) } },
  {
    method: 'POST',
    target: '/rest/bug/1/attachment',
    body: { ids: Array.from({ length: 99 }, (_, id) => id + 2) },
  },
  { method: 'PUT', target: '/rest/product/12', key: keys.editor, body: { description: 'gone' } },
];
const responses = await Promise.all(
  Array.from({ length: 8 }, () => requests)
    .flat()
    .map(invoke),
);
console.log(`${responses.length} answered`);
