import { productOf } from '../../../lib/changes/watches/find-watches.ts';
import type { WatchedTarget } from '../../../lib/changes/watches/schema.ts';
import { keyText, productKey, userIdKey, watchersKey, watchesKey } from '../../../lib/table/keys.ts';
import { kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';
import { userLists } from './user-lists.ts';

const nameOf = ({ kind, id }: WatchedTarget): string => `the ${kind} ${id}`;

/** Users who watch something exist, as does what they watch; and of each user, product and component it is known who watches it. */
export const watchChecks = [
  references({
    from: kinds.watches,
    to: kinds.userId,
    references: ({ user_id }) => [{ key: userIdKey(user_id), content: user_id }],
    problems: ({ content }, { content: id }, user) => [
      user === undefined && content.watched.length > 0 && `is of the user ${id}, who does not exist`,
    ],
  }),
  references({
    from: kinds.watches,
    to: kinds.userId,
    references: ({ watched }) =>
      watched.flatMap((one) => (one.kind === 'user' ? [{ key: userIdKey(one.id), content: one }] : [])),
    problems: (_, { content }, user) => [
      user === undefined && `watches ${nameOf(content)}, who does not exist`,
    ],
  }),
  references({
    from: kinds.watches,
    to: kinds.product,
    references: ({ watched }) =>
      watched.flatMap((one) =>
        one.kind === 'user' ? [] : [{ key: productKey(productOf(one)), content: one }],
      ),
    problems: (_, { key, content }, product) => [
      product === undefined && `watches ${nameOf(content)}, but ${keyText(key)} does not exist`,
    ],
  }),
  ...userLists(kinds.watches, kinds.watchers, {
    ownKey: watchesKey,
    entriesOf: ({ watched }) => watched,
    listKey: (target) => watchersKey(target),
    listContent: ({ kind, id }) => ({ kind, id }),
    missing: (target) => `watches ${nameOf(target)}, which does not list the user`,
    stray: 'who does not watch it',
  }),
];
