import { normalizeName } from '../base/text.ts';
import { watchRepository } from '../changes/watches/repository.ts';
import { MAX_WATCHERS, type Watched, type WatchesItem } from '../changes/watches/schema.ts';
import { userRepository } from '../people/repository.ts';
import { namesAt } from './places.ts';
import { namesOf, type PlanContext, type PlanOfKind, unknownNames } from './plan.ts';
import type { ComponentsOf, ProductNamed } from './plan-products.ts';
import type { Catalogue, CatalogueUser, Problem } from './schema.ts';

type Users = Catalogue['users'];

/** Sets what users watch; of a user for whom the catalogue does not say it, it stays. */
export async function planWatches(
  { table, catalogue: { users } }: PlanContext,
  componentsOf: ComponentsOf,
  productNamed: ProductNamed,
): Promise<PlanOfKind> {
  const repository = watchRepository(table);
  const watchers = users.filter(
    (one) => one.watched_users !== undefined || one.watched_components !== undefined,
  );
  if (watchers.length === 0) return { problems: [], execute: async () => undefined };
  const watched = namesAt({ users }, ['users.*.watched_users.*']);
  const logins = [...watchers.map(({ login }) => login), ...watched.map(({ value }) => value)];
  const readUsers = () => userRepository(table, table.now).byLogins(logins);
  const known = namesOf([...(await readUsers()).keys(), ...users.map(({ login }) => login)]);
  return {
    problems: [
      ...unknownNames('user', watched, known),
      ...unknownComponents(users, componentsOf),
      ...tooManyWatchers(users),
    ],
    async execute() {
      // Users and products of the catalogue are written now.
      const stored = await readUsers();
      const idOf = (login: string) => stored.get(normalizeName(login))?.id ?? 0;
      for (const user of watchers) {
        const existing = await repository.of(idOf(user.login));
        await repository.write(existing, desiredWatches(existing, user, idOf, productNamed));
      }
    },
  };
}

/** What a user is to watch: of each list that the catalogue does not have, what the user watches. */
function desiredWatches(
  { user_id, watched }: WatchesItem,
  { watched_users, watched_components }: CatalogueUser,
  idOf: (login: string) => number,
  productNamed: ProductNamed,
): Watched[] {
  const isUser = ({ kind }: Watched) => kind === 'user';
  const people = watched_users?.map((login): Watched => ({ kind: 'user', id: idOf(login) }));
  const places = watched_components?.map((one): Watched => {
    const { product, components } = productNamed(one.product);
    const part = normalizeName(one.component ?? '');
    if (part === '') return { kind: 'product', id: product.id };
    const { id = 0 } = components.find(({ name }) => normalizeName(name) === part) ?? {};
    return { kind: 'component', id, product_id: product.id };
  });
  return [
    ...(people?.filter(({ id }) => id !== user_id) ?? watched.filter(isUser)),
    ...(places ?? watched.filter((one) => !isUser(one))),
  ];
}

/** Products and components that neither the table nor the catalogue has. */
const unknownComponents = (users: Users, componentsOf: ComponentsOf): Problem[] =>
  users.flatMap(({ watched_components = [] }, u) =>
    watched_components.flatMap(({ product, component }, w): Problem[] => {
      const parts = componentsOf(product);
      if (parts !== undefined && (!component || namesOf(parts).has(normalizeName(component)))) return [];
      const name = [product, component ?? []].flat().join(': ');
      return [{ path: ['users', u, 'watched_components', w], message: `there is no component '${name}'` }];
    }),
  );

/** Users of a catalogue who watch something that as many others watch as may watch it. */
function tooManyWatchers(users: Users): Problem[] {
  const counts = new Map<string, number>();
  return users.flatMap(({ watched_users = [], watched_components = [] }, u): Problem[] => {
    const names = new Set([
      ...watched_users.map((login) => JSON.stringify([normalizeName(login)])),
      ...watched_components.map(({ product, component }) =>
        JSON.stringify([product, component ?? ''].map(normalizeName)),
      ),
    ]);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (![...names].some((name) => (counts.get(name) ?? 0) > MAX_WATCHERS)) return [];
    const message = `watches what ${MAX_WATCHERS} others in the file watch, who are the most`;
    return [{ path: ['users', u], message }];
  });
}
