import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';

type Serializing = Parameters<AwsJson1_0Protocol['serializeRequest']>;
type Deserializing = Parameters<AwsJson1_0Protocol['deserializeResponse']>;

/** Operations on items, whose inputs and outputs are DynamoDB's JSON but for bytes. Others have times, too. */
const ITEM_OPERATIONS = new Set([
  ...['GetItem', 'BatchGetItem', 'Query', 'Scan'],
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
]);

/**
 * In a response that has bytes, whatever space is around the colon. A text within a text has its quotes escaped. A search for
 * its end alone, which few texts have, takes a hundredth of the time.
 */
const BYTES = Buffer.from('"B"');
const END = BYTES.subarray(1);

/**
 * DynamoDB's JSON without a walk through the schema of the operation: the document client makes inputs that JSON.stringify
 * writes as they are, but for bytes. Errors, and operations on tables, take the way of the SDK.
 */
export class LeanProtocol extends AwsJson1_0Protocol {
  override async serializeRequest(...[schema, input, context]: Serializing) {
    if (!ITEM_OPERATIONS.has(schema.name)) return super.serializeRequest(schema, input, context);
    const { protocol, hostname, port, path } = await context.endpoint();
    encodeBytes(input);
    return {
      method: 'POST',
      ...{ protocol, hostname, path },
      ...(port === undefined ? {} : { port }),
      headers: {
        'content-type': this.getDefaultContentType(),
        'x-amz-target': `${this.serviceTarget}.${schema.name}`,
      },
      body: JSON.stringify(input),
    };
  }

  override async deserializeResponse(...[schema, context, response]: Deserializing) {
    const isError = response.statusCode >= 300;
    if (isError || !ITEM_OPERATIONS.has(schema.name)) {
      return super.deserializeResponse(schema, context, response);
    }
    const bytes: Buffer = response.body;
    const output = JSON.parse(bytes.toString());
    if (bytes.includes(END) && bytes.includes(BYTES)) decodeBytes(output);
    output.$metadata = this.deserializeMetadata(response);
    return output;
  }
}

/** Replaces bytes by base64 in what the document client has made of an input: with a replacer JSON.stringify takes twice as long. */
function encodeBytes(value: object): void {
  for (const [name, one] of Object.entries(value)) {
    if (name === 'B' && one instanceof Uint8Array) {
      Object.assign(value, { B: Buffer.from(one.buffer, one.byteOffset, one.byteLength).toString('base64') });
    } else if (typeof one === 'object' && one !== null) {
      encodeBytes(one);
    }
  }
}

/** Replaces base64 by bytes: text under this name, where attributes are objects. */
function decodeBytes(value: object): void {
  for (const [name, one] of Object.entries(value)) {
    if (name === 'B' && typeof one === 'string') Object.assign(value, { B: Buffer.from(one, 'base64') });
    else if (typeof one === 'object' && one !== null) decodeBytes(one);
  }
}
