import { type BugInput, type BugItem, bugItem } from '../../../lib/bugs/schema.ts';
import { searchIndexKeys } from '../../../lib/bugs/search-index.ts';
import type { CommentItem } from '../../../lib/comments/schema.ts';
import { aliasKey, bugKey, changedKey, commentKey, commentPointerKey } from '../../../lib/dynamodb/keys.ts';
import type { History } from './history.ts';
import type { TableItem } from './ledger.ts';
import { Popularity } from './popularity.ts';
import type { Products } from './products.ts';
import type { Tags } from './tags.ts';
import type { People } from './users.ts';

const ALIAS_SHARE = 0.05;
const RESTRICTED_SHARE = 0.02;
const PRIVATE_SHARE = 0.03;
const ATTACHMENT_SHARE = 0.05;
const WORKED_SHARE = 0.05;
/** the share of comments on popular bugs; the others are on one of the newest bugs */
const OLD_BUG_SHARE = 0.6;
const NEWEST = 50;
const DESCRIPTION_LENGTH = 450;
const COMMENT_LENGTH = 180;

type Bug = BugItem & TableItem;

/** Generates bugs with comments: most have a handful, few have thousands. */
export class Bugs {
  count = 0;
  comments = 0;
  readonly #history: History;
  readonly #people: People;
  readonly #products: Products;
  readonly #tags: Tags;
  readonly #talkedAbout = new Popularity<Bug>();
  readonly #newest: Bug[] = [];
  #securityGroup: string | undefined;

  constructor(history: History, people: People, products: Products, tags: Tags) {
    this.#history = history;
    this.#people = people;
    this.#products = products;
    this.#tags = tags;
  }

  /** Creates a bug that gets comments. */
  file(): void {
    const bug = this.open();
    this.#talkedAbout.add(bug);
    this.#newest.push(bug);
    if (this.#newest.length > NEWEST) this.#newest.shift();
  }

  #security(): string {
    this.#securityGroup ??= this.#people.newGroup('tracker security', 'Sees what is not to be known yet');
    return this.#securityGroup;
  }

  /** Creates a bug with its description. */
  open(): Bug {
    const { random, ids, ledger, words } = this.#history;
    const product = this.#products.forBug();
    const id = ids.take('bug');
    const reporter = this.#people.somebody();
    const time = this.#history.time();
    const fields: BugInput = {
      id,
      aliases: random.happens(ALIAS_SHARE) ? [`${words.word()}-${id}`] : [],
      product_id: product.id,
      component_id: random.of(product.componentIds),
      version: random.of(product.versions),
      summary: words.text(60, 250).replaceAll('\n', ' '),
      status: random.happens(0.6) ? 'RESOLVED' : 'CONFIRMED',
      reporter,
      assigned_to: this.#people.somebody(),
      qa_contact: '',
      cc: [],
      groups: [...product.groups, ...(random.happens(RESTRICTED_SHARE) ? [this.#security()] : [])],
      creation_time: time,
      last_change_time: time,
      comment_count: 0,
      last_comment_time: time,
      hours_worked: 0,
    };
    const bug = { ...bugKey(id), ...bugItem.parse(fields) };
    ledger.writeChanging(bug);
    for (const key of searchIndexKeys(bug)) ledger.write({ ...key, bug_id: id });
    for (const alias of bug.aliases) ledger.write({ ...aliasKey(alias), bug_id: id });
    this.#append(bug, reporter, words.text(DESCRIPTION_LENGTH));
    this.count += 1;
    return bug;
  }

  /** Adds a comment to a random bug. */
  comment(): void {
    const { random, words } = this.#history;
    const isOld = random.happens(OLD_BUG_SHARE);
    const bug = isOld ? this.#talkedAbout.draw(random) : random.of(this.#newest);
    if (!isOld) this.#talkedAbout.add(bug);
    this.#append(bug, this.#people.somebody(), words.text(COMMENT_LENGTH), this.#extras());
  }

  /** A plain comment. */
  commentOn(bug: Bug, creator: string, text: string): void {
    this.#append(bug, creator, text);
  }

  #extras() {
    const { random } = this.#history;
    return {
      is_private: random.happens(PRIVATE_SHARE),
      attachment_id: random.happens(ATTACHMENT_SHARE) ? 1 + random.below(100_000) : null,
      work_time: random.happens(WORKED_SHARE) ? (1 + random.below(16)) / 4 : 0,
      tags: this.#tags.forComment(),
    };
  }

  #append(bug: Bug, creator: string, text: string, extras: Extras = NO_EXTRAS): void {
    const { ids, ledger } = this.#history;
    const creation_time = this.#history.time();
    const id = ids.take('comment');
    const count = bug.comment_count;
    const comment: CommentItem = { id, bug_id: bug.id, count, text, creator, creation_time, ...extras };
    ledger.write(
      { ...commentKey(comment), ...comment },
      { ...commentPointerKey(id), bug_id: bug.id, creation_time, count },
    );
    // Changes in the same second share an index entry.
    if (creation_time !== bug.last_change_time) {
      ledger.write({ ...changedKey(bug.id, creation_time), bug_id: bug.id });
    }
    bug.comment_count += 1;
    bug.last_comment_time = creation_time;
    bug.last_change_time = creation_time;
    bug.hours_worked += extras.work_time;
    ledger.rewrite(bug);
    this.comments += 1;
  }
}

type Extras = Pick<CommentItem, 'is_private' | 'attachment_id' | 'work_time' | 'tags'>;
const NO_EXTRAS: Extras = { is_private: false, attachment_id: null, work_time: 0, tags: [] };
