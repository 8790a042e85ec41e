/** The kinds of events: the `detail-type` on the bus. functions/events/README.md 2 */
export const EVENT_TYPES = [
  'bug.create',
  'bug.modify',
  'comment.create',
  'attachment.create',
  'attachment.modify',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The `source` of events on the bus. */
export const EVENT_SOURCE = 'bugless';

/** The `source` of what only the function `mail` gets. */
export const INTERNAL_SOURCE = 'bugless.internal';

/** The `detail-type` of what only the function `mail` gets: the keys of a change, or what an account is mailed about. */
export const INTERNAL_TYPES = { change: 'change', account: 'account' } as const;

/** A user in an event. */
export interface EventUser {
  id: number;
  login: string;
  real_name: string;
}

/** An event in the shape of BMO's webhooks, with an id and the revision of the bug. functions/events/README.md 2 */
export interface BugEvent {
  /** the same whenever the event is sent again */
  id: string;
  /** of the bug, after the change */
  revision: number;
  event: {
    action: 'create' | 'modify';
    target: 'bug' | 'comment' | 'attachment';
    /** `YYYY-MM-DDThh:mm:ssZ` */
    time: string;
    routing_key: string;
    /** absent where the bug, the comment or the attachment is private */
    user?: EventUser;
    changes?: { field: string; removed: string; added: string }[];
  };
  bug: Readonly<Record<string, unknown>> & { id: number; is_private: boolean };
  /** the new and the former product, in public events of a change that moved the bug */
  products?: string[];
}

/** The kind of an event. */
export function typeOf({ event: { target, action } }: BugEvent): EventType {
  if (target === 'comment') return 'comment.create';
  return `${target}.${action}`;
}
