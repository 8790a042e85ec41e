import { compareNames } from '../../lib/text.ts';
import type { Journal, WrittenComment, WrittenProduct } from './journal.ts';

/** A comment as the service answers it afterwards. */
export interface FoundComment {
  id: number;
  bug_id: number;
  count: number;
  text: string;
  tags: string[];
}

/** What the service answers afterwards. */
export interface Found {
  /** all comments of each bug that was commented on */
  bugs: ReadonlyMap<number, FoundComment[]>;
  /** comments that were asked for by their ids; those that are not there are left out */
  comments: ReadonlyMap<number, FoundComment>;
  /** by name, likewise */
  products: ReadonlyMap<string, { id: number; description: string }>;
}

/** What is missing, there twice, or not as it was acknowledged: a line for each. */
export function problemsOf({ comments, openTexts, products }: Journal, found: Found): string[] {
  const byBug = Map.groupBy(comments, ({ bug }) => bug);
  return [
    ...comments.flatMap((comment) => commentProblems(comment, found.comments.get(comment.id))),
    ...[...byBug].flatMap(([bug, written]) => bugProblems(bug, written, found.bugs.get(bug) ?? [])),
    ...openProblems(openTexts, found.bugs),
    ...products.flatMap((product) => productProblems(product, found.products.get(product.name))),
  ];
}

function commentProblems(written: WrittenComment, found: FoundComment | undefined): string[] {
  const { id, bug, text, tags } = written;
  if (found === undefined) return [`Comment ${id} of bug ${bug} is missing by its id`];
  const problems: string[] = [];
  if (found.bug_id !== bug) problems.push(`Comment ${id} is on bug ${found.bug_id}, not ${bug}`);
  if (found.text !== text) problems.push(`Comment ${id} has another text`);
  const has = JSON.stringify(found.tags.toSorted(compareNames));
  const wanted = tags.map((one) => JSON.stringify(one));
  if (!wanted.includes(has)) problems.push(`Comment ${id} has the tags ${has}, not ${wanted.join(' or ')}`);
  return problems;
}

function bugProblems(bug: number, written: WrittenComment[], found: FoundComment[]): string[] {
  const problems: string[] = [];
  const times = timesOf(found.map(({ id }) => id));
  for (const { id } of written) {
    const many = times.get(id) ?? 0;
    if (many === 0) problems.push(`Comment ${id} is missing on bug ${bug}`);
    if (many > 1) problems.push(`Comment ${id} is on bug ${bug} ${many} times`);
  }
  const textTimes = timesOf(found.map(({ text }) => text));
  for (const { id, text } of written) {
    if ((textTimes.get(text) ?? 0) > 1) problems.push(`The text of comment ${id} is on bug ${bug} twice`);
  }
  const gap = found.findIndex(({ count }, place) => count !== place);
  if (gap >= 0) problems.push(`The comments of bug ${bug} are not counted without a gap: ${gap} is missing`);
  return problems;
}

/** A comment whose answer did not come is there once or not at all. */
function openProblems(openTexts: ReadonlySet<string>, bugs: Found['bugs']): string[] {
  const texts = [...bugs.values()].flat().map(({ text }) => text);
  const times = timesOf(texts.filter((text) => openTexts.has(text)));
  return [...times].flatMap(([text, many]) =>
    many > 1 ? [`A comment without an answer is there ${many} times: ${text.slice(0, 60)}`] : [],
  );
}

function productProblems(
  { id, name, descriptions }: WrittenProduct,
  found: { id: number; description: string } | undefined,
): string[] {
  if (found === undefined) return [`The product '${name}' is missing`];
  if (found.id !== id) return [`The product '${name}' has the id ${found.id}, not ${id}`];
  if (descriptions.includes(found.description)) return [];
  return [
    `The product '${name}' has the description '${found.description}', not '${descriptions.join("' or '")}'`,
  ];
}

function timesOf<T>(all: T[]): Map<T, number> {
  const times = new Map<T, number>();
  for (const one of all) times.set(one, (times.get(one) ?? 0) + 1);
  return times;
}
