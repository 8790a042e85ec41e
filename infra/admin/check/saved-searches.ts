import type { SavedSearchesItem } from '../../../lib/people/saved-searches/schema.ts';
import { groupIdKey, savedSearchesKey, sharersKey, userIdKey } from '../../../lib/table/keys.ts';
import { kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';
import { userLists } from './user-lists.ts';

const groupsOf = ({ searches }: SavedSearchesItem): number[] => [
  ...new Set(searches.flatMap(({ group_id }) => group_id ?? [])),
];

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
  ...userLists(kinds.savedSearches, kinds.sharers, {
    ownKey: savedSearchesKey,
    entriesOf: groupsOf,
    listKey: sharersKey,
    listContent: (group_id) => ({ group_id }),
    missing: (id) => `are shared with the group ${id}, which does not list the user`,
    stray: 'who shares nothing with the group',
  }),
];
