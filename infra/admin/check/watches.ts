import { productOf } from '../../../lib/changes/watches/find-watches.ts';
import { targetName } from '../../../lib/changes/watches/repository.ts';
import type { WatchedTarget, WatchersItem } from '../../../lib/changes/watches/schema.ts';
import { keyText, productKey, userIdKey, watchersKey, watchesKey } from '../../../lib/table/keys.ts';
import type { Action } from '../../../lib/table/write.ts';
import { kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';
import { setUserIds } from './user-lists.ts';

const nameOf = ({ kind, id }: WatchedTarget): string => `the ${kind} ${id}`;

/** Says who watches something, where it is as it was read. */
const setWatchers = (
  { kind, id }: WatchedTarget,
  found: WatchersItem | undefined,
  change: (user_ids: readonly number[]) => number[],
): Action => setUserIds(watchersKey({ kind, id }), found, { kind, id }, change);

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
  references({
    from: kinds.watches,
    to: kinds.watchers,
    references: ({ watched }) => watched.map((one) => ({ key: watchersKey(one), content: one })),
    problems({ key: check, content: watches }, { content: target }, found) {
      if (found?.user_ids.includes(watches.user_id) === true) return [];
      const violation = `watches ${nameOf(target)}, which does not list the user`;
      const add = setWatchers(target, found, (ids) => [...ids, watches.user_id]);
      return [{ violation, repair: [add, { check, ...kinds.watches.unchanged(watches) }] }];
    },
  }),
  references({
    from: kinds.watchers,
    to: kinds.watches,
    references: ({ user_ids }) => user_ids.map((id) => ({ key: watchesKey(id), content: id })),
    problems({ content }, { key: check, content: user }, watches) {
      const name = targetName(content);
      if (watches?.watched.some((one) => targetName(one) === name) === true) return [];
      const remove = setWatchers(content, content, (ids) => ids.filter((id) => id !== user));
      return [
        {
          violation: `lists the user ${user}, who does not watch it`,
          repair: [remove, { check, ...kinds.watches.unchanged(watches) }],
        },
      ];
    },
  }),
];
