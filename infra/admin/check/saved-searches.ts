import type { SavedSearchesItem, SharersItem } from '../../../lib/people/saved-searches/schema.ts';
import { groupIdKey, savedSearchesKey, sharersKey, userIdKey } from '../../../lib/table/keys.ts';
import type { Action } from '../../../lib/table/write.ts';
import { kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';
import { setUserIds } from './user-lists.ts';

const groupsOf = ({ searches }: SavedSearchesItem): number[] => [
  ...new Set(searches.flatMap(({ group_id }) => group_id ?? [])),
];

/** Says who shares searches with a group, where it is as it was read. */
const setSharers = (
  group_id: number,
  found: SharersItem | undefined,
  change: (user_ids: readonly number[]) => number[],
): Action => setUserIds(sharersKey(group_id), found, { group_id }, change);

/** Saved searches are of users who exist, and shared with groups that exist; of each group it is known who shares some with it. */
export const savedSearchChecks = [
  references({
    from: kinds.savedSearches,
    to: kinds.userId,
    references: ({ user_id }) => [{ key: userIdKey(user_id), content: user_id }],
    problems: ({ content }, { content: id }, user) => [
      user === undefined && content.searches.length > 0 && `are of the user ${id}, who does not exist`,
    ],
  }),
  references({
    from: kinds.savedSearches,
    to: kinds.groupId,
    references: (item) => groupsOf(item).map((id) => ({ key: groupIdKey(id), content: id })),
    problems: (_, { content: id }, group) => [
      group === undefined && `are shared with the group ${id}, which does not exist`,
    ],
  }),
  references({
    from: kinds.savedSearches,
    to: kinds.sharers,
    references: (item) => groupsOf(item).map((id) => ({ key: sharersKey(id), content: id })),
    problems({ key: check, content: searches }, { content: id }, found) {
      if (found?.user_ids.includes(searches.user_id) === true) return [];
      const violation = `are shared with the group ${id}, which does not list the user`;
      const add = setSharers(id, found, (ids) => [...ids, searches.user_id]);
      return [{ violation, repair: [add, { check, ...kinds.savedSearches.unchanged(searches) }] }];
    },
  }),
  references({
    from: kinds.sharers,
    to: kinds.savedSearches,
    references: ({ user_ids }) => user_ids.map((id) => ({ key: savedSearchesKey(id), content: id })),
    problems({ content }, { key: check, content: user }, searches) {
      if (searches !== undefined && groupsOf(searches).includes(content.group_id)) return [];
      const remove = setSharers(content.group_id, content, (ids) => ids.filter((id) => id !== user));
      return [
        {
          violation: `lists the user ${user}, who shares nothing with the group`,
          repair: [remove, { check, ...kinds.savedSearches.unchanged(searches) }],
        },
      ];
    },
  }),
];
