import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomNumbers } from '../support/random.ts';

/** Texts in English. */
const DOCUMENTS = [
  ...['README.md', 'functions/README.md', 'functions/bugs/README.md'],
  ...['infra/README.md', 'infra/OPERATING.md', 'infra/MIGRATING.md'],
];
/** Zipf's law with Mandelbrot's shift; the most frequent words are left out of the index. */
const VOCABULARY = 50_000;
const SHIFT = 2.7;
const STOP_WORDS = 60;

/** The words of the documentation, in order: the function gives the next one. */
export async function documents(): Promise<() => string> {
  const root = join(import.meta.dirname, '../..');
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(root, path), 'utf8')));
  const words = texts.join(' ').split(/\s+/);
  let at = 0;
  return () => words[at++ % words.length] ?? '';
}

/** Draws words by their frequency. */
export function zipf(): () => string {
  const random = randomNumbers(20);
  let sum = 0;
  const sums = Array.from({ length: VOCABULARY }, (_, rank) => (sum += 1 / (rank + 1 + SHIFT)));
  return () => {
    const at = random() * sum;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low < STOP_WORDS ? 'the' : `word${low.toString(36)}`;
  };
}
