import { compareNames } from '../../lib/text.ts';
import type { Journal, WrittenComment, WrittenProduct } from './journal.ts';

/** A stored comment. */
export interface FoundComment {
  id: number;
  bug_id: number;
  count: number;
  text: string;
  tags: string[];
}

/** The stored comments and products. */
export interface Found {
  /** all comments of each bug with an acknowledged comment */
  bugs: ReadonlyMap<number, FoundComment[]>;
  /** comments by id, without missing ones */
  comments: ReadonlyMap<number, FoundComment>;
  /** by name, without missing ones */
  products: ReadonlyMap<string, { id: number; description: string }>;
}

/** Acknowledged writes that are missing, stored twice, or different: one line each. */
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
  if (gap >= 0) problems.push(`The counts of the comments of bug ${bug} have a gap: ${gap} is missing`);
  return problems;
}

/** A comment without a response is stored at most once. */
function openProblems(openTexts: ReadonlySet<string>, bugs: Found['bugs']): string[] {
  const texts = [...bugs.values()].flat().map(({ text }) => text);
  const times = timesOf(texts.filter((text) => openTexts.has(text)));
  return [...times].flatMap(([text, many]) =>
    many > 1 ? [`A comment without a response is stored ${many} times: ${text.slice(0, 60)}`] : [],
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
