import { normalizeName } from '../text.ts';
import type { Catalogue } from './schema.ts';

/** Told of each wrong place, and why it is. */
type Report = (path: PropertyKey[], message: string) => void;
/** What has a name, an id, or a place of its own. */
type Placed = { name?: string; id?: number | undefined; path?: PropertyKey[] };

/** Checks what only the whole file shows: what stands in it twice, and what does not fit together. */
export function checkWhole(all: Catalogue, report: Report): void {
  unique(all.groups, ['groups'], report);
  unique(all.users, ['users'], report, ({ login }) => login);
  unique(all.classifications, ['classifications'], report);
  unique(all.products, ['products'], report);
  for (const [p, one] of all.products.entries()) {
    const path = ['products', p];
    for (const part of ['components', 'versions', 'milestones'] as const) {
      unique(one[part], [...path, part], report);
    }
    const components = new Set(one.components.map((component) => component.name));
    for (const [f, type] of one.flag_types.entries()) {
      for (const [c, wanted] of (type.components ?? []).entries()) {
        if (!components.has(wanted)) {
          report([...path, 'flag_types', f, 'components', c], 'is not a component of the product');
        }
      }
    }
    const milestones = one.milestones.map((milestone) => milestone.name);
    if (
      one.default_milestone !== undefined &&
      milestones.length > 0 &&
      !milestones.includes(one.default_milestone)
    ) {
      report([...path, 'default_milestone'], 'is not a milestone of the product');
    }
  }
  for (const part of ['components', 'versions', 'milestones'] as const) {
    const parts = all.products.flatMap((one, p) =>
      one[part].map((given, at) => ({ id: given.id, path: ['products', p, part, at] })),
    );
    uniqueIds(parts, report);
  }
  unique(
    all.bugs.flatMap((one, b) =>
      one.aliases.map((alias, a) => ({ name: alias, path: ['bugs', b, 'aliases', a] })),
    ),
    [],
    report,
  );
  uniqueIds(
    all.bugs.map(({ id }, b) => ({ id, path: ['bugs', b] })),
    report,
  );
  uniqueIds(
    all.bugs.flatMap((one, b) => one.comments.map(({ id }, c) => ({ id, path: ['bugs', b, 'comments', c] }))),
    report,
  );
  for (const [b, one] of all.bugs.entries()) {
    one.comments.forEach(({ creation_time }, c) => {
      const before = one.comments[c - 1];
      if (before !== undefined && creation_time < before.creation_time) {
        report(['bugs', b, 'comments', c, 'creation_time'], 'is before that of the comment before it');
      }
    });
  }
  const keys = all.users.flatMap(({ api_keys }, u) =>
    api_keys.map(({ key, key_sha256 }, k) => ({
      name: key ?? key_sha256 ?? '',
      path: ['users', u, 'api_keys', k],
    })),
  );
  unique(
    keys,
    [],
    report,
    ({ name }) => name,
    (given) => given,
  );
}

function unique<T extends Placed>(
  all: T[],
  path: PropertyKey[],
  report: Report,
  nameOf: (one: T) => string = (one) => one.name ?? '',
  normalized: (name: string) => string = normalizeName,
): void {
  const seen = new Set<string>();
  all.forEach((one, place) => {
    const key = normalized(nameOf(one));
    if (seen.has(key)) report(one.path ?? [...path, place], 'stands in the file twice');
    seen.add(key);
  });
  uniqueIds(
    all.map((one, place) => ({ id: one.id, path: one.path ?? [...path, place] })),
    report,
  );
}

function uniqueIds(all: { id: number | undefined; path: PropertyKey[] }[], report: Report): void {
  const seen = new Set<number>();
  for (const { id, path } of all) {
    if (id === undefined) continue;
    if (seen.has(id)) report([...path, 'id'], `the id ${id} stands in the file twice`);
    seen.add(id);
  }
}
