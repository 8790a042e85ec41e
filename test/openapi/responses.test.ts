import { describe, expect, it } from 'vitest';
import { expectDocumented } from '../support/openapi-responses.ts';

/** The HTTP tests validate every response against the document; this tests the validation. */
describe('a response is not as documented', () => {
  const version = { version: '5.2', bugless: '0.1.0' };
  const error = { error: true, code: 306, message: 'm', documentation: '' };

  it.each([
    ['a field that the document does not have', '/rest/version', 200, { ...version, more: 1 }],
    ['a field that is missing', '/rest/version', 200, { version: '5.2' }],
    ['a field that was not deselected', '/rest/product/1', 200, { products: [{ id: 1 }] }],
    ['an id that is a text', '/rest/product_enterable', 200, { ids: ['1'] }],
    ['a time that has another form', '/rest/time', 200, { db_time: '2026-03-01 10:00' }],
    ['an error that the operation does not have', '/rest/product', 400, { ...error, code: 700 }],
    ['an error of another shape', '/rest/product', 400, { error: 'no' }],
    ['a status that the operation does not have', '/rest/product', 404, { ...error, code: 32614 }],
    ['an answer where there is no route', '/rest/nothing', 200, {}],
  ])('with %s', (_, path, status, body) => {
    expect(() => expectDocumented('GET', path, { status, body })).toThrow(path);
  });

  it.each([
    ['/rest/version', 200, version],
    ['/rest/product/1?include_fields=id', 200, { products: [{ id: 1 }] }],
    ['/rest/product', 400, error],
    ['/rest/product', 503, { message: 'Service Unavailable' }],
    ['/rest/product', 304, ''],
    ['/rest/nothing', 404, { ...error, code: 32614 }],
  ])('but it is: %s with %s', (path, status, body) => {
    expect(() => expectDocumented('GET', path, { status, body })).not.toThrow();
  });
});
