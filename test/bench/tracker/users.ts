import {
  apiKeyKey,
  groupIdKey,
  groupKey,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userKey,
} from '../../../lib/dynamodb/keys.ts';
import { hashOf } from '../../../lib/users/repository.ts';
import type { GroupItem, UserApiKeyItem, UserItem } from '../../../lib/users/schema.ts';
import type { History } from './history.ts';
import { Popularity } from './popularity.ts';

const NEW_SHARE = 0.02;
const WITH_KEY_SHARE = 0.1;
const MEMBER_SHARE = 0.05;

/** Users with their API keys, and groups. */
export class People {
  count = 0;
  readonly #history: History;
  readonly #active = new Popularity<string>();
  readonly #groups: string[] = [];

  constructor(history: History) {
    this.#history = history;
  }

  /** The login of a user, by popularity. */
  somebody(): string {
    const { random } = this.#history;
    if (this.count === 0 || random.happens(NEW_SHARE)) return this.newcomer();
    return this.#active.draw(random);
  }

  /** The login of a new user. */
  newcomer(): string {
    const { random, ids, ledger, words } = this.#history;
    const id = ids.take('user');
    const [given, family] = [words.capitalized(), words.capitalized()];
    const user: UserItem = {
      id,
      login: `${given}.${family}${id}@tracker.example`.toLowerCase(),
      real_name: `${given} ${family}`,
      groups: random.happens(MEMBER_SHARE) && this.#groups.length > 0 ? [random.of(this.#groups)] : [],
    };
    const { login, real_name } = user;
    ledger.write(
      { ...userKey(login), ...user, revision: 1 },
      { ...userIdKey(id), login },
      { ...userIndexKey(login), id, login, real_name, is_disabled: false },
    );
    if (random.happens(WITH_KEY_SHARE)) this.#giveKey(user);
    this.#active.add(user.login);
    this.count += 1;
    return user.login;
  }

  /** @returns the name of the group */
  newGroup(name: string, description: string): string {
    const { ids, ledger } = this.#history;
    const group: GroupItem = { id: ids.take('group'), name, description };
    ledger.write({ ...groupKey(name), ...group }, { ...groupIdKey(group.id), name });
    this.#groups.push(name);
    return name;
  }

  #giveKey(user: UserItem): void {
    const key: UserApiKeyItem = { hash: hashOf(user.login), description: 'script', revoked: false };
    this.#history.ledger.write(
      { ...apiKeyKey(key.hash), user, revoked: key.revoked },
      { ...userApiKeyKey(user.login, key.hash), ...key },
    );
  }
}
