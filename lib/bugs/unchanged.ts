import type { BugItem } from './schema.ts';

/** The condition that a bug neither changed nor got a comment since it was read. */
export function unchanged({ revision, comment_count }: BugItem): {
  condition: string;
  values: Record<string, number>;
} {
  const isSame =
    revision === 0 ? '(revision = :revision OR attribute_not_exists(revision))' : 'revision = :revision';
  return {
    condition: `comment_count = :count AND ${isSame}`,
    values: { ':count': comment_count, ':revision': revision },
  };
}
