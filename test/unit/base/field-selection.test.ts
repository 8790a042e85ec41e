import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RepeatedValue } from '../../../lib/base/parameters.ts';
import { readFieldSelection } from '../../../lib/http/read-field-selection.ts';

const select = (include?: unknown, exclude?: unknown) =>
  readFieldSelection(
    new Map([
      ['include_fields', include],
      ['exclude_fields', exclude],
    ]),
  );

const object = { id: 1, name: 'n', components: [], versions: [] };
const picked = (include?: unknown, exclude?: unknown) => Object.keys(select(include, exclude).pick(object));

describe('a selection of fields', () => {
  it.for<[unknown, unknown, string[]]>([
    [undefined, undefined, ['id', 'name', 'components', 'versions']],
    ['', '', ['id', 'name', 'components', 'versions']],
    ['id', undefined, ['id']],
    ['id,name', undefined, ['id', 'name']],
    ['id name', undefined, ['id', 'name']],
    [' id , , name ', undefined, ['id', 'name']],
    [new RepeatedValue(['id', 'name']), undefined, ['id', 'name']],
    [undefined, 'components,versions', ['id', 'name']],
    ['id,name', 'name', ['id']],
    ['id', 'id', []],
    ['nosuch', undefined, []],
    [undefined, 'nosuch', ['id', 'name', 'components', 'versions']],
    ['_all', undefined, ['id', 'name', 'components', 'versions']],
    ['_default', 'name', ['id', 'components', 'versions']],
    ['_extra', undefined, []],
    [undefined, '_all', []],
    ['_all,name', '_default', ['id', 'name', 'components', 'versions']],
    ['name', '_default', ['name']],
    ['id,components.name', undefined, ['id', 'components']],
    [undefined, 'components.name', ['id', 'name', 'components', 'versions']],
    ['ID', undefined, []],
    [{}, undefined, ['id', 'name', 'components', 'versions']],
    [['id', {}], undefined, ['id', 'name', 'components', 'versions']],
  ])('of %j without %j has %j', ([include, exclude, expected]) => {
    expect(picked(include, exclude)).toEqual(expected);
  });

  const inside = (include?: string, exclude?: string) =>
    Object.keys(select(include, exclude).within('components').pick({ id: 1, name: 'n', flag_types: {} }));

  it.for<[string | undefined, string | undefined, string[]]>([
    [undefined, undefined, ['id', 'name', 'flag_types']],
    ['components', undefined, ['id', 'name', 'flag_types']],
    ['components.name', undefined, ['name']],
    ['components.name,components.id', undefined, ['id', 'name']],
    ['components,components.name', undefined, ['id', 'name', 'flag_types']],
    ['components', 'components.flag_types', ['id', 'name']],
    [undefined, 'components.name', ['id', 'flag_types']],
    ['components.flag_types.bug', undefined, []],
    ['id', undefined, []],
    [' components', '_default', []],
    [' components,components.id', '_default', ['id']],
    ['_all', '_default', ['id', 'name', 'flag_types']],
  ])('inside components, of %j without %j, has %j', ([include, exclude, expected]) => {
    expect(inside(include, exclude)).toEqual(expected);
  });

  it('has neither excluded nor unselected fields', () => {
    const names = fc.array(fc.constantFrom<string[]>('id', 'name', 'components', 'versions', '_all', 'x.y'));
    fc.assert(
      fc.property(names, names, (include, exclude) => {
        const shown = picked(include.join(','), exclude.join(' '));
        for (const field of shown) {
          expect(exclude).not.toContain(field);
          if (include.length > 0) expect(include.includes(field) || include.includes('_all')).toBe(true);
        }
      }),
    );
  });
});
