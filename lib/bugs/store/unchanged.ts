import type { BugItem } from '../schema.ts';

/** The condition that a bug neither changed nor got a comment since it was read. */
export function unchanged({ revision, comment_count }: BugItem): {
  condition: string;
  values: Record<string, number>;
} {
  return {
    condition: 'comment_count = :count AND revision = :revision',
    values: { ':count': comment_count, ':revision': revision },
  };
}
