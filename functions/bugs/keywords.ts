import { nullAsBlank, param, parameters, text, withDefault } from '../../lib/base/parameters.ts';
import { trim } from '../../lib/base/text.ts';
import { changeKeyword, createKeyword as create } from '../../lib/bugs/change/change-keywords.ts';
import type { KeywordItem } from '../../lib/bugs/schema.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import type { Idempotent } from '../../lib/http/idempotency.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { JsonResponse, ok } from '../../lib/http/response/json.ts';
import type { Table } from '../../lib/table/client.ts';
import type { RecordFor } from '../../lib/table/idempotency.ts';

interface KeywordServices {
  table: Table;
  idempotent: Idempotent;
}

/** functions/administration/README.md 8. */
export const newKeyword = parameters({
  name: param(withDefault(text, ''), 'At most 64 characters, without white space and commas.', {
    required: true,
    example: 'crash',
  }),
  description: param(withDefault(text, ''), 'What it says of a bug.', {
    required: true,
    example: 'The program ends',
  }),
});

/** functions/administration/README.md 8. */
export const keywordUpdate = parameters({
  description: param(nullAsBlank(text), 'A new description.', { example: 'Worked before' }),
});

const presented = ({ name, description }: KeywordItem) => ({ name, description });

/** Responds with all keywords. functions/administration/README.md 8. */
export const listKeywords: Endpoint<KeywordServices> = async (_request, { table }) =>
  ok({ keywords: (await bugSettingsRepository(table).keywords()).map(presented) });

/** Creates a keyword, and responds with it. functions/administration/README.md 8. */
export const createKeyword: Endpoint<KeywordServices> = async (request, services) => {
  const user = await request.user;
  const given = parseKnownParameters(newKeyword, request.parameters);
  const created = (recordFor: RecordFor) =>
    create(services.table, user.login, given, recordFor).then(() => 0);
  const respond = () =>
    new JsonResponse(201, presented({ name: trim(given.name), description: trim(given.description) }));
  return services.idempotent(request, user, created, respond);
};

/** Changes a keyword, and responds with it. functions/administration/README.md 8. */
export const updateKeyword: Endpoint<KeywordServices> = async (request, { table }) => {
  const { login } = await request.user;
  const given = parseKnownParameters(keywordUpdate, request.parameters);
  const named = { ...given, name: request.pathParameter('name') };
  return ok(presented(await changeKeyword(table, login, named)));
};
