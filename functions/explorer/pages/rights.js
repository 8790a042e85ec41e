/** Fields that only the interface changes. */
const GIVEN = ['creator', 'dupe_of'];
const HOURS = ['deadline', 'estimated_time', 'remaining_time', 'work_time'];
const ONLY_OF_EDITORS = ['assigned_to', 'qa_contact', 'target_milestone'];

/**
 * Whether the reader may change a field, as far as the bug and whoami tell: pages have no control for what is refused for sure.
 * What the interface refuses beside that, it says at the field.
 */
export function mayChange(name, { bug, user }) {
  if (user === undefined || GIVEN.includes(name)) return false;
  const { name: me, rights } = user;
  if (HOURS.includes(name) && !rights.time_tracker) return false;
  if (rights.edit_bugs || [bug.assigned_to, bug.qa_contact].includes(me)) return true;
  if (name === 'cc' || name === 'flags') return true;
  if (name === 'status' && rights.can_confirm && bug.status === 'UNCONFIRMED') return true;
  return bug.creator === me && !ONLY_OF_EDITORS.includes(name);
}

/** Whether the reader may change an attachment, or its flags alone. */
export function mayChangeAttachment({ creator, flags = [] }, user, isFlag = false) {
  if (user === undefined) return false;
  const isOwn = user.rights.edit_bugs || creator === user.name;
  return isOwn || (isFlag && flags.some(({ setter, requestee }) => [setter, requestee].includes(user.name)));
}
