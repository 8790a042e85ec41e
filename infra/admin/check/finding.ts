import type { Item } from '../../../lib/dynamodb/read.ts';
import type { Action } from '../../../lib/dynamodb/write.ts';

/** Something in the table that is not as it always should be. */
export interface Finding {
  /** `pk sk` of the item that is wrong, or missing */
  item: string;
  /** what is wrong with it */
  wrong: string;
  /** what stays of `wrong` while people work, where it has numbers that change; absent: all of it */
  lasting?: string;
  /**
   * What puts it right, as one transaction, under the condition that it is still so; absent where there is more than
   * one right answer.
   */
  repair?: Action[];
  /** whether other items cannot be judged before this one is put right */
  isFundamental?: boolean;
}

/** A finding in one line. */
export const lineOf = ({ item, wrong }: Finding): string => `${item}: ${wrong}`;

/** The same for what is found again. */
export const identityOf = ({ item, wrong, lasting = wrong }: Finding): string => `${item}: ${lasting}`;

/** Looks after one invariant while the whole table goes by, partition by partition, ordered within each. */
export interface Check {
  /** @param items the next ones, all of known kinds and in shape */
  next(items: Item[]): Promise<Finding[]>;
  /** What can only be said when all has been seen. */
  end?(): Promise<Finding[]>;
}

/** An item's key as one text. */
export const keyText = ({ pk, sk }: { pk?: unknown; sk?: unknown }): string => `${pk} ${sk}`;

/** The kind of a key: what stands before its first `#`. */
export const kindOf = (key: unknown): string => String(key).split('#', 1)[0] ?? '';
