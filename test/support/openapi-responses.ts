import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { allRoutes } from '../../functions/endpoint-groups.ts';
import { describeInterface } from '../../functions/openapi.ts';
import { readTarget } from '../../infra/local/gateway/event.ts';
import { routeChooser } from '../../infra/local/gateway/gateway.ts';
import { isDocumented } from '../../lib/http/openapi/documentation.ts';
import { isExactParameter, OWN_PATHS, routeKey, withoutScript } from '../../lib/http/routes.ts';

interface CheckedResponse {
  status: number;
  body: unknown;
}

interface Operation {
  parameters: { $ref?: string }[];
  responses: Record<string, { $ref?: string; content?: { 'application/json'?: { schema: object } } }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object; required?: string[] }> };
}

/**
 * Fields that may be absent although they are selected: of users for anonymous callers, of comments without tags, of bugs
 * without QA contact or time tracking, of products without a template, or that are shown by their names only.
 */
const SOMETIMES_ABSENT: readonly string[] = [
  'description_template',
  'email',
  'can_login',
  'groups',
  'saved_searches',
  'saved_reports',
  'email_enabled',
  'login_denied_text',
  'duties',
  'tags',
  'bugless_version',
  'comment_count',
  'duplicates',
  'comments',
  'history',
  'attachments',
  'assigned_to_detail',
  'qa_contact_detail',
  'estimated_time',
  'remaining_time',
  'actual_time',
];

const document = describeInterface('https://example.org/docs') as unknown as Document;
const choose = routeChooser(allRoutes.map((route) => ({ ...route, routeKey: routeKey(route) })));

/** @param complete requires the fields that include_fields can omit */
function validators(complete: boolean): (pointer: string) => ValidateFunction {
  const schema = structuredClone(document);
  for (const component of Object.values(schema.components.schemas)) {
    if (!complete || component.required !== undefined) continue;
    component.required = Object.keys(component.properties ?? {}).filter(
      (name) => !SOMETIMES_ABSENT.includes(name),
    );
  }
  const ajv = new Ajv2020({
    strict: false,
    formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  });
  ajv.addSchema(schema, 'openapi');
  return (pointer) => ajv.compile({ $ref: `openapi#${pointer}` });
}

const compiled = new Map<string, ValidateFunction>();
const compile = { selected: validators(false), complete: validators(true) };

function validatorOf(kind: keyof typeof compile, pointer: string): ValidateFunction {
  const key = `${kind} ${pointer}`;
  const validator = compiled.get(key) ?? compile[kind](pointer);
  compiled.set(key, validator);
  return validator;
}

/**
 * Validates a response against the OpenAPI document.
 *
 * @param target path and query of the request
 * @throws Error describing the difference
 */
export function expectDocumented(method: string, target: string, { status, body }: CheckedResponse): void {
  const { rawPath: path, rawQueryString } = readTarget(target);
  const rawPath = withoutScript(path.replace(/\/{2,}/g, '/'));
  const chosen = choose(method, rawPath);
  const request = () =>
    `${method} ${target.slice(0, 300)}: ${status} ${JSON.stringify(body).slice(0, 1_000)}`;
  const isRouted =
    chosen !== undefined &&
    isDocumented(chosen.route) &&
    (chosen.route.path.endsWith('/')
      ? chosen.route.path === rawPath
      : Object.values(chosen.pathParameters).every(isExactParameter));
  if (!isRouted) {
    if (method === 'OPTIONS' && status === 200) return;
    // Operations for the pages alone.
    if (path.startsWith(OWN_PATHS)) return;
    if (status < 400) throw new Error(`A response without a route: ${request()}`);
    return;
  }
  const template = chosen.route.path.replaceAll('+}', '}');
  const operation = document.paths[template]?.[method.toLowerCase()];
  const response = operation?.responses[status];
  if (operation === undefined || response === undefined) throw new Error(`Not documented: ${request()}`);
  if (status === 304) return;
  const selects = operation.parameters.some(({ $ref }) => $ref?.endsWith('/include_fields'));
  const kind = selects && !/(include|exclude)_fields=/.test(rawQueryString) ? 'complete' : 'selected';
  const place =
    response.$ref?.slice(1) ?? `/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}`;
  const validate = validatorOf(kind, `${place}/content/application~1json/schema`);
  if (!validate(body)) {
    throw new Error(`Not as documented: ${request()}\n${JSON.stringify(validate.errors, undefined, 1)}`);
  }
}

const escaped = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
