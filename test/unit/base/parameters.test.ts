import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { descriptions } from '../../../functions/openapi.ts';
import {
  boolean,
  decimal,
  nullAsBlank,
  optional,
  parseParameters,
  RepeatedValue,
  readQuery,
  text,
  texts,
} from '../../../lib/base/parameters.ts';
import { parametersOf } from '../../../lib/http/openapi/documentation.ts';

const read = (raw: string) => Object.fromEntries(readQuery(raw));

describe('a query', () => {
  it('has names and values, in which + is a space', () => {
    expect(read('a=1&b=x+y&c=%2B%20')).toEqual({ a: '1', b: 'x y', c: '+ ' });
    expect(read('')).toEqual({});
    expect(read('a&b=&=c')).toEqual({ a: '', b: '', '': 'c' });
  });

  it('is separated by semicolons too, and not by commas', () => {
    expect(read('a=1;b=2,3&c=4')).toEqual({ a: '1', b: '2,3', c: '4' });
  });

  it('has lists as repeated names', () => {
    expect(read('ids=1&ids=2;ids=3')).toEqual({ ids: new RepeatedValue(['1', '2', '3']) });
  });

  it('may have any bytes', () => {
    expect(read('a=%FF&b=%C3%28&c=%&d=%zz')).toEqual({ a: 'ÿ', b: 'Ã(', c: '%', d: '%zz' });
    expect(read('caf%E9=%C3%A9&b=caf%E9+%&c=%80%C3%A9')).toEqual({ café: 'é', b: 'café %', c: '€Ã©' });
    expect(read('a=%EF%BF%BD&b=\u00c3\u00a9&c=\u00e9&d=日')).toEqual({
      a: '\ufffd',
      b: 'é',
      c: 'é',
      d: '日',
    });
    expect(readQuery('a=%C3%A9%80', 'windows-1252').get('a')).toBe('Ã©€');
    expect(readQuery('__proto__=1&constructor=2').get('__proto__')).toBe('1');
  });

  it('round-trips', () => {
    const pairs = fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(pairs, (given) => {
        const raw = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
        expect([...readQuery(raw.join('&'))]).toEqual(given);
      }),
    );
  });
});

const parsed = <T extends z.ZodMiniType>(schema: T, given: unknown): unknown => {
  const { data, error } = schema.safeParse(given);
  return error === undefined ? data : 'refused';
};

it.for<[unknown, unknown]>([
  ['x', 'x'],
  ['', ''],
  [7, '7'],
  [-0.5, '-0.5'],
  [true, '1'],
  [false, '0'],
  [new RepeatedValue(['first', 'last']), 'last'],
  [null, 'refused'],
  [undefined, 'refused'],
  [['x'], 'refused'],
  [{}, 'refused'],
  ['\ud800', 'refused'],
])('a string parameter is read of %j as %j', ([given, expected]) => {
  expect(parsed(text, given)).toEqual(expected);
});

it.for<[unknown, unknown]>([
  [1e-7, '0.0000001000'],
  [1e21, '1000000000000000000000'],
  ['1e1', '1e1'],
  [Number.POSITIVE_INFINITY, 'refused'],
  [null, 'refused'],
])('a decimal number is read of %j as %j', ([given, expected]) => {
  expect(parsed(decimal, given)).toEqual(expected);
});

it.for<[unknown, unknown]>([
  ...[true, 1, '1', 'true', ' ', '00', 'x', -1, 0.5].map((given): [unknown, unknown] => [given, true]),
  ...[false, 0, '0', '', 'false', 'False', -0].map((given): [unknown, unknown] => [given, false]),
  [new RepeatedValue(['0', '1']), true],
  [null, 'refused'],
  [[], 'refused'],
  [{}, 'refused'],
])('a boolean is read of %j as %j', ([given, expected]) => {
  expect(parsed(boolean, given)).toEqual(expected);
});

it("every boolean of a request is read of the texts 'true' and 'false'", () => {
  const given = Object.values(descriptions).flatMap(({ operations }) =>
    Object.entries(operations).flatMap(([operation, description]) =>
      // A search reads its parameters itself.
      (operation === 'GET /rest/bug' ? [] : parametersOf(description)).map(({ name, schema }) => ({
        name: `${operation} ${name}`,
        schema,
      })),
    ),
  );
  const booleans = given.filter(
    ({ schema }) => parsed(schema, true) === true && parsed(schema, false) === false,
  );
  expect(booleans.length).toBeGreaterThan(40);
  for (const { name, schema } of booleans) {
    const read = ['true', 'false', 'False'].map((one) => parsed(schema, one));
    expect([name, ...read]).toEqual([name, true, false, false]);
  }
});

it.for<[unknown, unknown]>([
  [undefined, []],
  [null, []],
  ['x', ['x']],
  [5, ['5']],
  [false, ['0']],
  [[], []],
  [
    ['a', 1, true, null],
    ['a', '1', '1'],
  ],
  [new RepeatedValue(['1', '2']), ['1', '2']],
  ['1,2', ['1,2']],
  [[['a']], 'refused'],
  [[{}], 'refused'],
  [{}, 'refused'],
  [['\udfff'], 'refused'],
])('a list of strings is read of %j as %j', ([given, expected]) => {
  expect(parsed(texts, given)).toEqual(expected);
});

describe('null', () => {
  it('means absent with `optional`', () => {
    expect(parsed(optional(text), null)).toBeUndefined();
    expect(parsed(optional(boolean), undefined)).toBeUndefined();
    expect(parsed(optional(text), 'x')).toBe('x');
  });

  it('means empty with `nullAsBlank`', () => {
    expect(parsed(nullAsBlank(text), null)).toBe('');
    expect(parsed(nullAsBlank(boolean), null)).toBe(false);
    expect(parsed(nullAsBlank(text), undefined)).toBeUndefined();
  });
});

describe('parameters', () => {
  const schema = z.object({ name: optional(text), ids: texts });

  it('are parsed by name, and others ignored', () => {
    const given = new Map<string, unknown>([
      ['name', 1],
      ['other', {}],
      ['__proto__', 'x'],
    ]);
    expect(parseParameters(schema, given)).toEqual({ name: '1', ids: [] });
  });

  it('are refused with the name of the invalid one', () => {
    expect(() => parseParameters(schema, new Map([['name', {}]]))).toThrow(/'name'/);
    expect(() => parseParameters(schema, new Map([['ids', [1, [2]]]]))).toThrow(/'ids'/);
  });

  it('are parsed or refused by name for any value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('name', 'ids'), fc.anything()), (given) => {
        try {
          const { name, ids } = parseParameters(schema, new Map(Object.entries(given)));
          expect(name === undefined || typeof name === 'string').toBe(true);
          expect(ids.every((id) => id.isWellFormed())).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 53, status: 400 });
        }
      }),
    );
  });
});
