import type { FieldSelection } from '../fields.ts';
import type { BugItem } from './schema.ts';

/** Names of what a bug stands in. */
export interface BugPlace {
  product: string;
  component: string;
}

const CLOSED = new Set(['RESOLVED', 'VERIFIED', 'CLOSED']);

/** A bug as the interface shows it, with the fields that are wanted. */
export function presentBug(bug: BugItem, place: BugPlace, fields: FieldSelection): Record<string, unknown> {
  return fields.pick({
    id: bug.id,
    alias: bug.aliases,
    product: place.product,
    component: place.component,
    version: bug.version,
    summary: bug.summary,
    creator: bug.reporter,
    assigned_to: bug.assigned_to,
    qa_contact: bug.qa_contact,
    cc: bug.cc,
    groups: bug.groups,
    creation_time: bug.creation_time,
    last_change_time: bug.last_change_time,
    status: bug.status,
    is_open: !CLOSED.has(bug.status),
  });
}
