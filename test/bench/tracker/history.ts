import type { Ids } from './ids.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Words } from './words.ts';

/** State that the generators of a tracker share. */
export interface History {
  random: Random;
  words: Words;
  ids: Ids;
  ledger: Ledger;
  /** the time of the current event, later than all before: `YYYY-MM-DDThh:mm:ssZ` */
  time(): string;
}
