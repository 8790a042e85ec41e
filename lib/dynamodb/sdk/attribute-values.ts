import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Values by the names of attributes, as DynamoDB's JSON has them. */
export type AttributeValues = Record<string, AttributeValue>;

/** Bytes whose JSON is what DynamoDB expects: base64. */
class Binary extends Uint8Array<ArrayBufferLike> {
  toJSON(): string {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString('base64');
  }
}

/**
 * Attributes as DynamoDB's JSON has them: texts, numbers, booleans, null, bytes, lists and objects. What is
 * undefined is left out.
 *
 * @throws Error for a value of another type, and for a number that DynamoDB or JavaScript would change
 */
export function marshall(attributes: object): AttributeValues {
  const values: AttributeValues = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) values[name] = toValue(value);
  }
  return values;
}

function toValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
        throw new Error(`The number ${value} cannot be stored`);
      }
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    case 'object':
      if (value === null) return { NULL: true };
      if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(toValue) };
      if (value instanceof Uint8Array) {
        return { B: new Binary(value.buffer, value.byteOffset, value.byteLength) };
      }
      return { M: marshall(value) };
    default:
      throw new Error(`A value of the type ${typeof value} cannot be stored`);
  }
}

/**
 * Attributes from DynamoDB's JSON.
 *
 * @throws Error for sets, which no item has
 */
export function unmarshall(values: AttributeValues): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) attributes[name] = fromValue(value);
  }
  return attributes;
}

function fromValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.M !== undefined) return unmarshall(value.M);
  if (value.L !== undefined) return value.L.map(fromValue);
  if (value.NULL !== undefined) return null;
  if (value.B !== undefined) return value.B;
  throw new Error(`A value of the type ${Object.keys(value).join()} cannot be read`);
}
