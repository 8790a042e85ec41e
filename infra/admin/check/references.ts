import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, classificationKey, groupKey, type Key, keywordKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { type ItemKind, kinds, ofKind, readKind } from './item-kinds.ts';

/** References of items of a kind to others by their names. */
function namesIn<T>(items: Item[], kind: ItemKind<T>, namesOf: (content: T) => readonly string[]) {
  return ofKind(items, kind).flatMap(({ key, content }) => namesOf(content).map((name) => ({ key, name })));
}

/**
 * Referenced groups, classifications and keywords exist; groups in the same spelling, because rights depend on it.
 * Dependencies of bugs are symmetric.
 */
export function referencesCheck(table: Table): Check {
  /** @param areSpelled whether a reference has the spelling of its target */
  async function missing(
    references: { key: Key; name: string }[],
    target: ItemKind<{ name: string }>,
    keyOf: (name: string) => Key,
    areSpelled = false,
  ): Promise<Finding[]> {
    const keys = references.map(({ name }) => keyOf(name));
    const targetAt = await readKind(table, keys, target);
    return references.flatMap(({ key, name }): Finding[] => {
      const stored = targetAt(keyOf(name))?.name;
      const item = keyText(key);
      if (stored === undefined) {
        return [{ item, violation: `refers to ${keyText(keyOf(name))}, which does not exist` }];
      }
      if (!areSpelled || stored === name) return [];
      return [{ item, violation: `refers to the group '${name}', which is spelled '${stored}'` }];
    });
  }

  return {
    async scan(items) {
      const groups = [
        ...namesIn(items, kinds.user, ({ groups }) => groups),
        ...namesIn(items, kinds.bug, ({ groups }) => groups),
        ...namesIn(items, kinds.product, ({ group_controls }) => group_controls.map(({ group }) => group)),
      ];
      const keywords = namesIn(items, kinds.bug, ({ keywords }) => keywords);
      const classifications = namesIn(items, kinds.product, ({ classification }) =>
        classification === UNCLASSIFIED ? [] : [classification],
      );
      const all = await Promise.all([
        missing(groups, kinds.group, groupKey, true),
        missing(keywords, kinds.keyword, keywordKey),
        missing(classifications, kinds.classification, classificationKey),
        asymmetricDependencies(table, items),
      ]);
      return all.flat();
    },
  };
}

/** Every bug that a bug blocks depends on it, and vice versa; references to missing bugs are allowed. */
async function asymmetricDependencies(table: Table, items: Item[]): Promise<Finding[]> {
  const bugs = ofKind(items, kinds.bug).map(({ content }) => content);
  const ids = bugs.flatMap(({ blocks, depends_on }) => [...blocks, ...depends_on]);
  const bugAt = await readKind(table, ids.map(bugKey), kinds.bug);
  const finding = (id: number, violation: string): Finding => ({ item: keyText(bugKey(id)), violation });
  return bugs.flatMap(({ id, blocks, depends_on }) => [
    ...blocks
      .filter((other) => bugAt(bugKey(other))?.depends_on.includes(id) === false)
      .map((other) => finding(id, `blocks bug ${other}, which does not depend on it`)),
    ...depends_on
      .filter((other) => bugAt(bugKey(other))?.blocks.includes(id) === false)
      .map((other) => finding(id, `depends on bug ${other}, which does not block it`)),
  ]);
}
