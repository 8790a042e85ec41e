import { bugItem } from '../../lib/bugs/schema.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { anyItem, scanPages } from '../../lib/dynamodb/read.ts';
import { productIndexItem } from '../../lib/products/schema.ts';
import { growInTable } from '../bench/tracker/load.ts';
import { Tracker } from '../bench/tracker/tracker.ts';

const USERS = 6;
const keyOf = (user: number) => `LoadKeyOfUser${user}`.padEnd(40, '0');
export const ADMIN_KEY = 'LoadKeyOfAdmin'.padEnd(40, '0');

/** The targets of requests, and the API keys. */
export interface World {
  /** of users who may comment and tag */
  keys: string[];
  /** public bugs */
  bugs: number[];
  /** the same, each as often as it has comments: as likely to be commented on again */
  popularBugs: number[];
  products: { id: number; name: string }[];
}

/** Fills the table with a tracker of this many items, and with users who have API keys. */
export async function createWorld(table: Table, seed: number, items: number): Promise<World> {
  const groups = ['taggers', 'insiders', 'editcomponents'];
  const keys = Array.from({ length: USERS }, (_, user) => keyOf(user));
  const users = keys.map((key, user) => ({
    login: `user${user}@load.example`,
    groups: ['taggers'],
    api_keys: [{ key }],
  }));
  const admin = { login: 'admin@load.example', groups, api_keys: [{ key: ADMIN_KEY }] };
  await applyCatalogue(
    table,
    parseCatalogue({ groups: groups.map((name) => ({ name })), users: [...users, admin] }),
  );
  await growInTable(table, new Tracker(seed), items);
  return { keys, ...(await whatIsThere(table)) };
}

async function whatIsThere(table: Table): Promise<Pick<World, 'bugs' | 'popularBugs' | 'products'>> {
  const bugs: number[] = [];
  const popularBugs: number[] = [];
  const products: World['products'] = [];
  for await (const page of scanPages(table, anyItem)) {
    for (const item of page) {
      if (item['sk'] === 'BUG') {
        const { id, groups, comment_count } = bugItem.parse(item);
        if (groups.length > 0) continue;
        bugs.push(id);
        for (let times = 0; times < comment_count; times += 1) popularBugs.push(id);
      } else if (item['pk'] === 'PRODUCTINDEX' && item['sk'] !== 'VERSION') {
        const { id, name, group_controls } = productIndexItem.parse(item);
        if (group_controls.length === 0) products.push({ id, name });
      }
    }
  }
  return { bugs, popularBugs, products };
}
