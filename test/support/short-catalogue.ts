import { referenceCatalogue } from './bugless.ts';
import type { CompleteCatalogue } from './complete-catalogue.ts';

/** The first bugs of the reference catalogue, with at most nine comments, and the products that have some of them. */
export function shortCatalogue(lastBug = 5): CompleteCatalogue {
  const catalogue = referenceCatalogue();
  const bugs = catalogue.bugs.filter(({ id }) => id <= lastBug);
  for (const { comments } of bugs) comments.splice(9);
  const withBugs = new Set(bugs.map(({ product }) => product));
  return { ...catalogue, bugs, products: catalogue.products.filter(({ name }) => withBugs.has(name)) };
}

/** @throws Error when the value is undefined */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The reference catalogue lacks an expected value');
  return value;
}
