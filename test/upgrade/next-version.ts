import type { Table } from '../../lib/table/client.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { type Call, send, startProxy } from '../support/fault-proxy.ts';
import { allItems, keyOf } from '../support/table-items.ts';

/** An attribute that the next version has and this one does not know. */
const ATTRIBUTE = 'triage';

/** The items in which the next version has it, by their sort keys or partition keys. */
const EXTENDED = /^(BUG|PRODUCT|ATTACHMENT#.*|COMMENT#.*|HISTORY#.*|USER|GROUP|APIKEY(#.*)?)$/;
const isExtended = (pk: string, sk: string): boolean => EXTENDED.test(sk) || pk.startsWith('CHANGED#');

// biome-ignore lint/suspicious/noExplicitAny: items and calls in DynamoDB's format
type Json = any;

/** What the next version has within a bug's flags, and within the parts of a product. */
function extendWithin({ flags, parts }: Json): Json {
  const extendPart = (part: Json) => ({ ...part, [ATTRIBUTE]: 'next' });
  const extendParts = (text: string) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries<Json>(JSON.parse(text)).map(([kind, all]) => [kind, all.map(extendPart)]),
      ),
    );
  return {
    ...(flags?.L === undefined
      ? {}
      : { flags: { L: flags.L.map(({ M }: Json) => ({ M: { ...M, [ATTRIBUTE]: { S: 'next' } } })) } }),
    ...(parts?.S === undefined ? {} : { parts: { S: extendParts(parts.S) } }),
  };
}

/** The items of a call, as the next version writes them. */
function extend({ operation, body }: Call, onWrite: (key: Json) => void): Json {
  const extendPut = (put: Json): Json => {
    const { pk, sk } = put.Item;
    if (!isExtended(pk.S, sk.S)) return put;
    onWrite({ pk: pk.S, sk: sk.S });
    return { ...put, Item: { ...put.Item, ...extendWithin(put.Item), [ATTRIBUTE]: { S: 'next' } } };
  };
  const extendUpdate = (update: Json): Json => {
    const { pk, sk } = update.Key;
    if (!isExtended(pk.S, sk.S)) return update;
    onWrite({ pk: pk.S, sk: sk.S });
    const given = update.ExpressionAttributeValues;
    const within = Object.entries<string>(update.ExpressionAttributeNames ?? {}).map(([place, name]) => {
      const value = place.replace('#', ':');
      return [value, extendWithin({ [name]: given[value] })[name] ?? given[value]];
    });
    return {
      ...update,
      UpdateExpression: update.UpdateExpression.replace(/^SET /, `SET ${ATTRIBUTE} = :${ATTRIBUTE}, `),
      ExpressionAttributeValues: {
        ...given,
        ...Object.fromEntries(within.filter(([, value]) => value !== undefined)),
        [`:${ATTRIBUTE}`]: { S: 'next' },
      },
    };
  };
  if (operation === 'PutItem') return extendPut(body);
  if (operation === 'UpdateItem' && body.UpdateExpression.startsWith('SET')) return extendUpdate(body);
  if (operation !== 'TransactWriteItems') return body;
  const TransactItems = body.TransactItems.map(({ Put, Update, ...others }: Json) => ({
    ...others,
    ...(Put === undefined ? {} : { Put: extendPut(Put) }),
    ...(Update === undefined ? {} : { Update: extendUpdate(Update) }),
  }));
  return { ...body, TransactItems };
}

export interface NextVersion {
  endpoint: string;
  /** the keys of items that it has written, but for the change log, whose entries each version replaces */
  written: Set<string>;
  stop(): Promise<void>;
}

/**
 * A DynamoDB through which this code writes as the next minor version would: with an attribute more in bugs, comments,
 * attachments, histories, products, users, groups and the change log.
 */
export async function startNextVersion(): Promise<NextVersion> {
  const written = new Set<string>();
  const proxy = await startProxy(dynamoDbEndpoint(), async (call, response, forward) => {
    const keys: Json[] = [];
    const reply = await forward(extend(call, (key) => keys.push(key)));
    if (reply.status === 200) {
      for (const key of keys) if (!key.pk.startsWith('CHANGED#')) written.add(keyOf(key));
    }
    send(response, reply);
  });
  return { ...proxy, written };
}

/** The items that the next version has written and that lost its attribute. */
export async function lostAttributes(table: Table, written: ReadonlySet<string>): Promise<string[]> {
  const items = await allItems(table);
  return items.filter((item) => written.has(keyOf(item)) && !(ATTRIBUTE in item)).map(keyOf);
}

/** Of the flags of bug 1, and of the parts of product 2: how many have the attribute. */
export async function countWithin(table: Table): Promise<{ flags: number; parts: number }> {
  const items = await allItems(table);
  const count = (value: unknown) => JSON.stringify(value ?? '').split(ATTRIBUTE).length - 1;
  const find = (pk: string, sk: string) => items.find((item) => item.pk === pk && item.sk === sk);
  return {
    flags: count(find('BUG#1', 'BUG')?.['flags']),
    parts: count(find('PRODUCT#2', 'PRODUCT')?.['parts']),
  };
}

/** Whether a response shows what this version does not know. */
export const showsAttribute = (body: unknown): boolean => JSON.stringify(body ?? '').includes(ATTRIBUTE);
