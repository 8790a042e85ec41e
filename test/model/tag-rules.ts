import { findComment, mustSee } from './comment-rules.ts';
import type { Given } from './model.ts';
import { type Caller, list, requireGroup, text } from './send-request.ts';
import { normalized, same, sorted, type World } from './world.ts';

/** The number of comments with each tag, by normalized tag. */
function usesOf({ bugs }: World): Map<string, number> {
  const uses = new Map<string, number>();
  for (const tag of bugs.flatMap(({ comments }) => comments.flatMap(({ tags }) => tags)).map(normalized)) {
    uses.set(tag, (uses.get(tag) ?? 0) + 1);
  }
  return uses;
}

/** functions/README.md 6.2. */
export function searchTags(world: World, caller: Caller, { path, parameters }: Given) {
  requireGroup(caller, 'taggers');
  const limit = text(parameters['limit']) ?? '';
  const matching = [...usesOf(world)].filter(([tag]) => tag.includes(normalized(path['query'] ?? '')));
  const found = sorted(
    matching,
    ([, uses]) => -uses,
    ([tag]) => tag,
  );
  return found.map(([tag]) => world.spellings.get(tag)).slice(0, limit === '' ? undefined : Number(limit));
}

/** functions/README.md 6.1. */
export function updateTags(world: World, caller: Caller, { path, parameters }: Given) {
  requireGroup(caller, 'taggers');
  const [add, remove] = [list(parameters['add']), list(parameters['remove'])];
  const found = findComment(world, Number(path['comment_id']));
  if (found === undefined) return [];
  mustSee(caller, found);

  const { comment } = found;
  for (const tag of add) if (!comment.tags.some((one) => same(one, tag))) comment.tags.push(tag);
  const left = comment.tags.filter((tag) => !remove.some((one) => same(one, tag)));
  comment.tags = sorted(left, normalized);
  keepSpellings(world);
  return comment.tags;
}

/** Searches return the first spelling of a tag as long as it is in use. */
function keepSpellings(world: World): void {
  const used = world.bugs.flatMap(({ comments }) => comments.flatMap(({ tags }) => tags));
  const kept = new Map(used.map((tag) => [normalized(tag), world.spellings.get(normalized(tag)) ?? tag]));
  world.spellings = kept;
}
