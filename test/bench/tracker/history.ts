import type { Ids } from './ids.ts';
import type { Ledger } from './ledger.ts';
import type { Chance } from './random.ts';
import type { Words } from './words.ts';

/** What the parts of a tracker share. */
export interface History {
  chance: Chance;
  words: Words;
  ids: Ids;
  ledger: Ledger;
  /** the time of what happens now, later than that of all before: `YYYY-MM-DDThh:mm:ssZ` */
  time(): string;
}
