import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import { parseNumbered } from '../numbered.ts';

/** The groups; each virtual user is in others of them. */
const GROUPS = ['editcomponents', 'insiders', 'timetrackers', 'taggers', 'secret'];
const PRODUCTS = 4;

/** A virtual user. */
export interface VirtualUser {
  login: string;
  key: string;
  groups: string[];
}

/** `count` virtual users; the first is in every group. */
export function newUsers(count: number): VirtualUser[] {
  return Array.from({ length: count }, (_, place) => ({
    login: `person${place}@example.com`,
    key: `Person${place}`.padEnd(40, 'x'),
    groups: GROUPS.filter((_, bit) => place === 0 || (place + 3 * bit) % 4 !== 0),
  }));
}

/** A tracker for these users. Every fourth bug is restricted to one group. */
export function newTracker(users: VirtualUser[], bugs: number): Catalogue {
  return parseNumbered({
    groups: GROUPS.map((name) => ({ name })),
    users: users.map(({ login, key, groups }) => ({ login, groups, api_keys: [{ key }] })),
    products: Array.from({ length: PRODUCTS }, (_, place) => ({
      id: place + 1,
      name: `Product ${place + 1}`,
      components: [{ name: 'Core' }],
      versions: [{ name: '1' }],
      milestones: [{ name: 'M1' }, { name: 'M2' }],
    })),
    bugs: Array.from({ length: bugs }, (_, place) => ({
      id: place + 1,
      aliases: [`bug-${place + 1}`],
      product: `Product ${1 + (place % PRODUCTS)}`,
      component: 'Core',
      summary: 's',
      reporter: 'person0@example.com',
      groups: place % 4 === 3 ? ['secret'] : [],
      comments: [{ text: 'It began', creator: 'person0@example.com', creation_time: '2024-01-01T00:00:00Z' }],
    })),
  });
}
