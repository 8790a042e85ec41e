import type { Names } from './read-people.ts';
import type { SourceProduct } from './read-products.ts';
import type { Source } from './read-source.ts';
import type { Row } from './row.ts';

/** Where a bug is, and the flag types of the product. */
export interface Place {
  product: string;
  component: string;
  types: SourceProduct['flagTypes'];
}

/** Flags of types that the component has: Bugzilla, too, shows no others. */
export function flagsOf(
  rows: readonly Row[],
  where: string,
  { types, component }: Place,
  { clock, problems }: Source,
  names: Names,
): object[] {
  return rows.flatMap((row) => {
    const [id, typeId] = [row.number('id'), row.number('type_id')];
    const type = types.find(
      ({ id: one, components, excluded_components }) =>
        one === typeId &&
        (components === null || components.includes(component)) &&
        !excluded_components.includes(component),
    );
    const created = clock.time(row.text('creation_date')) ?? clock.time(row.text('modification_date'));
    if (type === undefined || created === undefined) {
      problems.add('flags left out', where, `flag ${id}: its type ${typeId} is not one of '${component}'`);
      return [];
    }
    return [
      {
        id,
        type_id: typeId,
        name: type.name,
        status: row.text('status'),
        setter: names.login(row.number('setter_id')),
        requestee: names.knownLogin(row.number('requestee_id')) ?? null,
        creation_date: created,
        modification_date: clock.time(row.text('modification_date')) ?? created,
      },
    ];
  });
}
