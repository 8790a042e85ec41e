import { describe, expect, it } from 'vitest';
import { routeChooser } from '../../infra/local/gateway/router.ts';

/** The route of a request, and its path parameters. */
function chosen(keys: string[], method: string, path: string) {
  const choice = routeChooser(keys.map((routeKey) => ({ routeKey })))(method, path);
  return choice && [choice.route.routeKey, choice.pathParameters];
}

describe('API Gateway chooses', () => {
  const pets = ['$default', 'ANY /{proxy+}', 'GET /pets/{proxy+}', 'GET /pets/dog/{id}', 'GET /pets/dog/1'];

  it('the full match first', () => {
    expect(chosen(pets, 'GET', '/pets/dog/1')).toEqual(['GET /pets/dog/1', {}]);
  });

  it('then the one with parameters', () => {
    expect(chosen(pets, 'GET', '/pets/dog/2')).toEqual(['GET /pets/dog/{id}', { id: '2' }]);
  });

  it('then the greedy one, the longest first', () => {
    expect(chosen(pets, 'GET', '/pets/cat/1/2')).toEqual(['GET /pets/{proxy+}', { proxy: 'cat/1/2' }]);
    expect(chosen(pets, 'GET', '/birds/1')).toEqual(['ANY /{proxy+}', { proxy: 'birds/1' }]);
  });

  it('a greedy one also for an empty remainder after the slash', () => {
    const keys = ['GET /bug', 'GET /bug/{id}', 'GET /bug/{proxy+}'];
    expect(chosen(keys, 'GET', '/bug/')).toEqual(['GET /bug/{proxy+}', { proxy: '' }]);
    expect(chosen(keys, 'GET', '/bug/1')).toEqual(['GET /bug/{id}', { id: '1' }]);
    expect(chosen(keys, 'GET', '/bug')).toEqual(['GET /bug', {}]);
  });

  it('$default when no other route matches', () => {
    expect(chosen(pets, 'GET', '/')).toEqual(['$default', {}]);
  });

  it('no route when there is no $default', () => {
    expect(chosen(['GET /a'], 'GET', '/b')).toBeUndefined();
  });

  it('by method', () => {
    const keys = ['GET /a/{id}', 'POST /a/{rest+}', '$default'];
    expect(chosen(keys, 'POST', '/a/1')).toEqual(['POST /a/{rest+}', { rest: '1' }]);
    expect(chosen(keys, 'PUT', '/a/1')).toEqual(['$default', {}]);
    expect(chosen(keys, 'HEAD', '/a/1')).toEqual(['$default', {}]);
  });

  it('a named method before ANY', () => {
    expect(chosen(['ANY /a', 'GET /a'], 'GET', '/a')).toEqual(['GET /a', {}]);
    expect(chosen(['ANY /a', 'GET /a'], 'PUT', '/a')).toEqual(['ANY /a', {}]);
  });

  it('by segments, not by the order of declaration', () => {
    const keys = ['GET /bug/comment/{id}', 'GET /bug/{id}/comment', 'GET /bug/comment/tags/{query}'];
    for (const order of [keys, keys.toReversed()]) {
      expect(chosen(order, 'GET', '/bug/comment/comment')?.[0]).toBe('GET /bug/comment/{id}');
      expect(chosen(order, 'GET', '/bug/comment/tags/x')?.[0]).toBe('GET /bug/comment/tags/{query}');
    }
  });

  it('no route that matches a part of the path only', () => {
    for (const path of ['/a', '/a/', '/a/b/', '/a/b/c', 'a/b', '//a/b']) {
      expect(chosen(['GET /a/b'], 'GET', path)).toBeUndefined();
    }
    expect(chosen(['GET /a/{b}'], 'GET', '/a/')).toBeUndefined();
    expect(chosen(['GET /a/{b+}'], 'GET', '/a')).toBeUndefined();
  });
});
