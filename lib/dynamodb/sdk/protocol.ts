import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';

type Serializing = Parameters<AwsJson1_0Protocol['serializeRequest']>;
type Deserializing = Parameters<AwsJson1_0Protocol['deserializeResponse']>;

/** Operations on items, whose inputs and outputs are DynamoDB's JSON but for bytes. Others have times, too. */
const ITEM_OPERATIONS = new Set([
  ...['GetItem', 'BatchGetItem', 'Query', 'Scan'],
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
]);

/** In a response that has bytes, whatever space is around the colon. A text within a text has its quotes escaped. */
const BYTES = Buffer.from('"B"');

/**
 * DynamoDB's JSON without a walk through the schema of the operation: the document client makes inputs that JSON.stringify
 * writes as they are, but for bytes. Errors, and operations on tables, take the way of the SDK.
 */
export class LeanProtocol extends AwsJson1_0Protocol {
  override async serializeRequest(...[schema, input, context]: Serializing) {
    if (!ITEM_OPERATIONS.has(schema.name)) return super.serializeRequest(schema, input, context);
    const { protocol, hostname, port, path } = await context.endpoint();
    return {
      method: 'POST',
      ...{ protocol, hostname, path },
      ...(port === undefined ? {} : { port }),
      headers: {
        'content-type': this.getDefaultContentType(),
        'x-amz-target': `${this.serviceTarget}.${schema.name}`,
      },
      body: JSON.stringify(input, encodeBytes),
    };
  }

  override async deserializeResponse(...[schema, context, response]: Deserializing) {
    const isError = response.statusCode >= 300;
    if (isError || !ITEM_OPERATIONS.has(schema.name)) {
      return super.deserializeResponse(schema, context, response);
    }
    const bytes: Buffer = response.body;
    const output = JSON.parse(bytes.toString(), bytes.includes(BYTES) ? decodeBytes : undefined);
    output.$metadata = this.deserializeMetadata(response);
    return output;
  }
}

/** A function with `this`, because `Buffer` has a method `toJSON` that would be called before. */
function encodeBytes(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const bytes = name === 'B' ? this[name] : undefined;
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    : value;
}

/** Under this name, text is base64: other values are objects. */
const decodeBytes = (name: string, value: unknown): unknown =>
  name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
