import {
  productIndexKey,
  productIndexVersionKey,
  productKey,
  productNameKey,
} from '../../../lib/dynamodb/keys.ts';
import { toDocument } from '../../../lib/products/document.ts';
import {
  type ComponentItem,
  type FlagTypeItem,
  type GroupControl,
  type ProductItem,
  type ProductParts,
  productIndexEntry,
  type ReleaseItem,
} from '../../../lib/products/schema.ts';
import { PLACEHOLDER_MILESTONE } from '../../../lib/settings.ts';
import type { History } from './history.ts';
import type { TableItem } from './ledger.ts';
import { Popularity } from './popularity.ts';
import type { People } from './users.ts';

const RESTRICTED_SHARE = 0.05;
const INACTIVE_SHARE = 0.04;
const DOUBLINGS_A_FLAG_TYPE = 3;

/** The fields of a product that its bugs need. */
export interface TrackedProduct {
  id: number;
  componentIds: number[];
  versions: string[];
  /** the group that restricts its bugs */
  groups: string[];
  bugs: number;
  parts: ProductParts;
  /** the item, which changes with the parts */
  item: TableItem & ProductItem;
}

/** Generates products: few of them get most of the bugs, and the number of parts grows with that of bugs. */
export class Products {
  count = 0;
  readonly #history: History;
  readonly #people: People;
  readonly #popular = new Popularity<TrackedProduct>();
  readonly #index = { ...productIndexVersionKey, version: 0, changed_at: 0 };

  constructor(history: History, people: People) {
    this.#history = history;
    this.#people = people;
  }

  make(): void {
    const { random, ids, ledger, words } = this.#history;
    const id = ids.take('product');
    const name = `${words.capitalized()} ${words.word()} ${id}`;
    const control = random.happens(RESTRICTED_SHARE) ? this.#restriction(name) : undefined;
    const parts: ProductParts = { components: [], flagTypes: [], milestones: [], versions: [] };
    const fields = {
      id,
      name,
      description: words.text(120, 2_000),
      classification: 'Unclassified',
      is_active: !random.happens(INACTIVE_SHARE),
      has_unconfirmed: random.happens(0.5),
      default_milestone: PLACEHOLDER_MILESTONE,
      has_active_component: true,
      has_active_version: true,
      group_controls: control === undefined ? [] : [control],
      revision: 1,
    };
    const { product } = toDocument(fields, parts);
    const item = { ...productKey(id), ...product };
    ledger.writeChanging(item);
    ledger.write(
      { ...productNameKey(name), product_id: id, name },
      { ...productIndexKey(id), ...productIndexEntry(product) },
    );
    this.#raiseIndexVersion();
    const groups = control === undefined ? [] : [control.group];
    const tracked = { id, componentIds: [], versions: [], groups, bugs: 0, parts, item };
    this.#addParts(tracked, PLACEHOLDER_MILESTONE);
    this.#popular.add(tracked);
    this.count += 1;
  }

  #raiseIndexVersion(): void {
    if (this.#index.version === 0) this.#history.ledger.writeChanging(this.#index);
    this.#index.version += 1;
    this.#history.ledger.rewrite(this.#index);
  }

  /** A product for a new bug. */
  forBug(): TrackedProduct {
    const product = this.#popular.draw(this.#history.random);
    product.bugs += 1;
    const doublings = Math.log2(product.bugs);
    if (doublings >= 1 && Number.isInteger(doublings)) {
      this.#addParts(product, `M${doublings}`);
      if (doublings % DOUBLINGS_A_FLAG_TYPE === 0) this.#addFlagType(product);
    }
    return product;
  }

  #restriction(product: string): GroupControl {
    const group = this.#people.newGroup(`${product} team`, `Works on ${product}`);
    return { group, entry: true, membercontrol: 'MANDATORY', canedit: false };
  }

  /** Adds a component, a version and a milestone. */
  #addParts(product: TrackedProduct, milestoneName: string): void {
    const { componentIds, versions, parts } = product;
    const { ids, words } = this.#history;
    const place = versions.length;
    const component: ComponentItem = {
      id: ids.take('component'),
      name: `${words.capitalized()} ${place + 1}`,
      description: words.text(60, 500),
      default_assigned_to: this.#people.somebody(),
      default_qa_contact: '',
      sort_key: 0,
      is_active: true,
    };
    const release = { sort_key: place * 10, is_active: true };
    const version: ReleaseItem = { id: ids.take('version'), name: `${place + 1}.0`, ...release };
    const milestone: ReleaseItem = { id: ids.take('milestone'), name: milestoneName, ...release };
    parts.components.push(component);
    parts.versions.push(version);
    parts.milestones.push(milestone);
    this.#rewrite(product);
    componentIds.push(component.id);
    versions.push(version.name);
  }

  #addFlagType(product: TrackedProduct): void {
    const { random, ids, words } = this.#history;
    const id = ids.take('flagtype');
    const flagType: FlagTypeItem = {
      id,
      name: `${words.word()}-${id}`,
      description: words.text(60, 500),
      target: random.happens(0.7) ? 'bug' : 'attachment',
      cc_list: [],
      sort_key: 0,
      is_active: true,
      is_requestable: true,
      is_requesteeble: random.happens(0.5),
      is_multiplicable: false,
      grant_group: null,
      request_group: null,
      components: null,
      excluded_components: [],
    };
    product.parts.flagTypes.push(flagType);
    this.#rewrite(product);
  }

  #rewrite({ item, parts }: TrackedProduct): void {
    Object.assign(item, toDocument(item, parts).product);
    this.#history.ledger.rewrite(item);
  }
}
