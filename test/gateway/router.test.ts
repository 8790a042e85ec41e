import { expect, it } from 'vitest';
import { routeChooser } from '../../infra/local/gateway/gateway.ts';

const PETS = ['$default', 'ANY /{proxy+}', 'GET /pets/{proxy+}', 'GET /pets/dog/{id}', 'GET /pets/dog/1'];
const BUG = ['GET /bug', 'GET /bug/{id}', 'GET /bug/{proxy+}'];
const METHODS = ['GET /a/{id}', 'POST /a/{rest+}', '$default'];
const COMMENT = ['GET /bug/comment/{id}', 'GET /bug/{id}/comment', 'GET /bug/comment/tags/{query}'] as const;

it.each<
  [why: string, keys: readonly string[], request: string, route?: string, parameters?: Record<string, string>]
>([
  ['the full match first', PETS, 'GET /pets/dog/1', 'GET /pets/dog/1'],
  ['then the one with parameters', PETS, 'GET /pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
  ['then the longest greedy one', PETS, 'GET /pets/cat/1/2', 'GET /pets/{proxy+}', { proxy: 'cat/1/2' }],
  ['then a shorter greedy one', PETS, 'GET /birds/1', 'ANY /{proxy+}', { proxy: 'birds/1' }],
  ['a greedy one for an empty remainder', BUG, 'GET /bug/', 'GET /bug/{proxy+}', { proxy: '' }],
  ['a parameter for a remainder', BUG, 'GET /bug/1', 'GET /bug/{id}', { id: '1' }],
  ['the literal without a remainder', BUG, 'GET /bug', 'GET /bug'],
  ['$default when no other route matches', PETS, 'GET /', '$default'],
  ['no route when there is no $default', ['GET /a'], 'GET /b'],
  ['by method', METHODS, 'POST /a/1', 'POST /a/{rest+}', { rest: '1' }],
  ['$default for another method', METHODS, 'PUT /a/1', '$default'],
  ['$default for HEAD', METHODS, 'HEAD /a/1', '$default'],
  ['a named method before ANY', ['ANY /a', 'GET /a'], 'GET /a', 'GET /a'],
  ['ANY for another method', ['ANY /a', 'GET /a'], 'PUT /a', 'ANY /a'],
  ['by the first literal segment', COMMENT, 'GET /bug/comment/comment', COMMENT[0], { id: 'comment' }],
  ['by all literal segments', COMMENT, 'GET /bug/comment/tags/x', COMMENT[2], { query: 'x' }],
  ...['/a', '/a/', '/a/b/', '/a/b/c', 'a/b', '//a/b'].map((path): [string, string[], string] => {
    return ['no route that matches a part only', ['GET /a/b'], `GET ${path}`];
  }),
  ['no parameter that is empty', ['GET /a/{b}'], 'GET /a/'],
  ['no greedy parameter without a slash', ['GET /a/{b+}'], 'GET /a'],
])('API Gateway chooses %s, whatever their order: %j %s', (_, keys, request, route, parameters = {}) => {
  const [method = '', path = ''] = request.split(' ');
  for (const order of [keys, keys.toReversed()]) {
    const choice = routeChooser(order.map((routeKey) => ({ routeKey })))(method, path);
    expect(choice && [choice.route.routeKey, choice.pathParameters]).toEqual(route && [route, parameters]);
  }
});
