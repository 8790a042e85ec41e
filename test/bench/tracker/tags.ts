import type { TagItem } from '../../../lib/comment-tags/schema.ts';
import { tagKey, tagSuffixKeys } from '../../../lib/dynamodb/keys.ts';
import { compareNames } from '../../../lib/text.ts';
import type { History } from './history.ts';
import type { TableItem } from './ledger.ts';
import { Popularity } from './popularity.ts';

const TAGGED_SHARE = 0.08;
const ONE_MORE_SHARE = 0.3;
/** A share with which more than half of all tags are on one comment only. */
const NEW_SHARE = 0.15;
const MAX_TAG_LENGTH = 24;

/** Generates tags: few are popular, most are on a single comment. */
export class Tags {
  readonly #history: History;
  readonly #popular = new Popularity<TagItem & TableItem>();
  readonly #known = new Set<string>();

  constructor(history: History) {
    this.#history = history;
  }

  get count(): number {
    return this.#known.size;
  }

  /** The tags of a new comment, mostly none. */
  forComment(): string[] {
    const { random, ledger } = this.#history;
    const tags = new Set<TagItem & TableItem>();
    for (let share = TAGGED_SHARE; random.happens(share); share = ONE_MORE_SHARE) {
      const isNew = this.#known.size === 0 || random.happens(NEW_SHARE);
      tags.add(isNew ? this.#make() : this.#popular.draw(random));
    }
    for (const tag of tags) {
      tag.uses += 1;
      ledger.rewrite(tag);
    }
    return [...tags].map(({ tag }) => tag).sort(compareNames);
  }

  #make(): TagItem & TableItem {
    const tag = this.#unknown();
    this.#known.add(tag);
    const item = { ...tagKey(tag), tag, uses: 0 };
    this.#history.ledger.writeChanging(item);
    this.#history.ledger.write(...tagSuffixKeys(tag).map((key) => ({ ...key })));
    this.#popular.add(item);
    return item;
  }

  #unknown(): string {
    const { words } = this.#history;
    let tag = words.word();
    while (this.#known.has(tag)) {
      const longer = `${tag}-${words.word()}`;
      tag = longer.length > MAX_TAG_LENGTH ? words.word() : longer;
    }
    return tag;
  }
}
