import { productRepository } from '../products/repository.ts';
import { normalizeName } from '../text.ts';
import { userRepository } from '../users/repository.ts';
import { watchRepository } from '../watches/repository.ts';
import { MAX_WATCHERS, type Watched } from '../watches/schema.ts';
import type { Plan, PlanContext } from './plan.ts';
import type { CatalogueSource, CatalogueUser, Problem } from './schema.ts';

type WatchedComponent = NonNullable<CatalogueUser['watched_components']>[number];

/** Sets what users watch; of a user for whom the catalogue does not say it, it stays. */
export async function planWatches({ table, catalogue }: PlanContext): Promise<Plan> {
  const watches = watchRepository(table);
  const users = userRepository(table, table.now);
  const given = catalogue.users.flatMap((user, u) =>
    user.watched_users === undefined && user.watched_components === undefined ? [] : [{ user, u }],
  );
  const logins = given.flatMap(({ user }) => user.watched_users ?? []);
  const components = given.flatMap(({ user }) => user.watched_components ?? []);

  /** The products that are named, by normalized name, with the ids of components by theirs. */
  async function readProducts() {
    const repository = productRepository(table);
    const ids = await repository.idsByName([...new Set(components.map(({ product }) => product))]);
    const found = await repository.allWithParts([...new Set(ids.values())]);
    return new Map(
      found.map((one) => [
        normalizeName(one.product.name),
        { id: one.product.id, components: idsOf(one.components) },
      ]),
    );
  }

  const problems = async (): Promise<Problem[]> => {
    const [known, products] = await Promise.all([users.byLogins(logins), readProducts()]);
    for (const { login } of catalogue.users) known.delete(normalizeName(login));
    const knownLogins = new Set([
      ...known.keys(),
      ...catalogue.users.map(({ login }) => normalizeName(login)),
    ]);
    const added = catalogueProducts(catalogue);
    const isKnown = ({ product, component }: WatchedComponent) => {
      const name = normalizeName(product);
      const [stored, desired] = [products.get(name), added.get(name)];
      if (stored === undefined && desired === undefined) return false;
      const part = normalizeName(component ?? '');
      return part === '' || stored?.components.has(part) === true || desired?.has(part) === true;
    };
    return [
      ...given.flatMap(({ user: { watched_users = [], watched_components = [] }, u }) => [
        ...watched_users.flatMap((login, w): Problem[] =>
          knownLogins.has(normalizeName(login))
            ? []
            : [{ path: ['users', u, 'watched_users', w], message: `there is no user '${login}'` }],
        ),
        ...watched_components.flatMap((one, w): Problem[] =>
          isKnown(one)
            ? []
            : [{ path: ['users', u, 'watched_components', w], message: 'there is no such component' }],
        ),
      ]),
      ...tooManyWatchers(given),
    ];
  };

  return {
    problems: given.length === 0 ? [] : await problems(),
    async execute() {
      if (given.length === 0) return;
      const [found, products] = await Promise.all([
        users.byLogins([...logins, ...given.map(({ user }) => user.login)]),
        readProducts(),
      ]);
      const idOf = (login: string) => found.get(normalizeName(login))?.id ?? 0;
      const placeOf = ({ product, component }: WatchedComponent): Watched => {
        const { id = 0, components: parts } = products.get(normalizeName(product)) ?? {};
        const part = normalizeName(component ?? '');
        if (part === '') return { kind: 'product', id };
        return { kind: 'component', id: parts?.get(part) ?? 0, product_id: id };
      };
      for (const { user } of given) {
        const own = idOf(user.login);
        const existing = await watches.of(own);
        const kept = (isUser: boolean) => existing.watched.filter(({ kind }) => (kind === 'user') === isUser);
        const people = user.watched_users
          ?.map((login): Watched => ({ kind: 'user', id: idOf(login) }))
          .filter(({ id }) => id !== own);
        await watches.write(existing, [
          ...(people ?? kept(true)),
          ...(user.watched_components?.map(placeOf) ?? kept(false)),
        ]);
      }
    },
  };
}

const idsOf = (parts: readonly { id: number; name: string }[]): ReadonlyMap<string, number> =>
  new Map(parts.map(({ id, name }) => [normalizeName(name), id]));

/** The names of the components of the products of a catalogue, by the names of these, normalized. */
const catalogueProducts = ({ products }: CatalogueSource): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    products.map(({ name, components }) => [
      normalizeName(name),
      new Set(components.map((one) => normalizeName(one.name))),
    ]),
  );

/** What more users of a catalogue watch than may watch it. */
function tooManyWatchers(given: readonly { user: CatalogueUser; u: number }[]): Problem[] {
  const counts = new Map<string, number>();
  return given.flatMap(({ user: { watched_users = [], watched_components = [] }, u }) => {
    const names = [
      ...watched_users.map((login) => JSON.stringify([normalizeName(login)])),
      ...watched_components.map(({ product, component }) =>
        JSON.stringify([product, component ?? ''].map(normalizeName)),
      ),
    ];
    for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return names.some((name) => counts.get(name) === MAX_WATCHERS + 1)
      ? [{ path: ['users', u], message: `watches what ${MAX_WATCHERS} others watch, who are the most` }]
      : [];
  });
}
