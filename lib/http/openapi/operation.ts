import { type Route, writes } from '../routes.ts';
import {
  type NamedParameter,
  type OperationText,
  parametersOf,
  takesIdempotencyKey,
} from './documentation.ts';
import { type ErrorResponses, errorsOf } from './errors.ts';
import { gatewayReferences } from './gateway.ts';
import type { JsonObject, Schemas } from './json-schema.ts';
import { securityOf } from './security.ts';

/** The OpenAPI operation of a route, without name and tag. */
export function operationOf(
  route: Route,
  text: OperationText,
  schemas: Schemas,
  errorResponses: ErrorResponses,
): JsonObject {
  const isReading = !writes(route);
  const documented = parametersOf(text);
  const parameters = [
    ...pathParameters(route, text, schemas),
    ...(isReading ? documented.map((parameter) => queryParameter(parameter, schemas)) : []),
    ...(text.selectsFields ? [reference('include_fields'), reference('exclude_fields')] : []),
    ...(isReading ? [reference('If-None-Match')] : []),
    ...(text.takesIfMatch ? [reference('If-Match')] : []),
    ...(takesIdempotencyKey(route, text) ? [reference('Idempotency-Key')] : []),
  ];
  return {
    summary: text.summary,
    description: text.text,
    parameters,
    ...(isReading ? {} : { requestBody: bodyOf(documented, schemas) }),
    responses: {
      [text.response.status]: responseOf(text, isReading, schemas),
      ...(isReading ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...errorResponses.responsesFor(errorsOf(route, text)),
      ...gatewayReferences(!isReading),
    },
    security: securityOf(route.authPolicy),
  };
}

/** Parameters that operations share, for `components`. functions/README.md 2. */
export const SHARED_PARAMETERS: JsonObject = {
  include_fields: fieldList(
    'include_fields',
    'Only these fields of each object, separated by commas. `components.name` selects inside `components`; `_all` and `_default` are all fields.',
  ),
  exclude_fields: fieldList('exclude_fields', 'All but these fields; it wins over `include_fields`.'),
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier response: if it is still current, the response is 304 without a body.',
    schema: { type: 'string' },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `bugless_version` of the bug, in quotes: if it has changed since, nothing is written, and the response is 412.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours, a repeated key returns the first response again.',
    schema: { type: 'string', maxLength: 255 },
  },
};

const ETAG = {
  ETag: { description: 'Equal for equal content.', schema: { type: 'string' } },
};

export const NOT_MODIFIED: JsonObject = {
  description: 'The response with the `ETag` of `If-None-Match` is still current.',
  headers: ETAG,
};

function fieldList(name: string, description: string): JsonObject {
  const schema = { type: 'array', items: { type: 'string' }, examples: [['id', 'name']] };
  return { name, in: 'query', description, style: 'form', explode: false, schema };
}

const reference = (parameter: string) => ({ $ref: `#/components/parameters/${parameter}` });

function pathParameters({ method, path }: Route, { path: texts = {} }: OperationText, schemas: Schemas) {
  return [...path.matchAll(/\{([^+}]+)\+?\}/g)].map(([, name = '']) => {
    const text = texts[name];
    if (text?.type === undefined) {
      throw new Error(`The parameter ${name} of ${method} ${path} has no documentation`);
    }
    const { text: description, type, example } = text;
    return { name, in: 'path', required: true, description, schema: schemas.convert(type()), example };
  });
}

function queryParameter({ name, ...parameter }: NamedParameter, schemas: Schemas): JsonObject {
  const isRequired = parameter.required ? { required: true } : {};
  return {
    name,
    in: 'query',
    description: parameter.text,
    ...isRequired,
    schema: schemaOf(parameter, schemas),
  };
}

/** The example is part of the schema, so that Swagger UI does not prefill it: each parameter changes the response. */
function schemaOf({ schema, type, example }: Omit<NamedParameter, 'name'>, schemas: Schemas): JsonObject {
  const converted = schemas.convert(type?.() ?? schema);
  return example === undefined ? converted : { ...converted, examples: [example] };
}

function bodyOf(parameters: readonly NamedParameter[], schemas: Schemas): JsonObject {
  const properties = parameters.map(({ name, ...parameter }) => [
    name,
    { ...schemaOf(parameter, schemas), description: parameter.text },
  ]);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const example = parameters.filter((one) => one.example !== undefined).map((one) => [one.name, one.example]);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
  return {
    required: required.length > 0,
    content: { 'application/json': { schema, example: Object.fromEntries(example) } },
  };
}

function responseOf({ response }: OperationText, isReading: boolean, schemas: Schemas): JsonObject {
  return {
    description: response.text,
    ...(isReading ? { headers: ETAG } : {}),
    content: { 'application/json': { schema: schemas.convert(response.schema), example: response.example } },
  };
}
