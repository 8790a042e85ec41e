import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBugless } from '../support/bugless.ts';
import { catalogueOf, exchangesOf, isAsExpected } from '../support/recorded-bugs.ts';
import { RECORDED_SETTINGS } from '../support/recorded-exchanges.ts';

/** Sections that were recorded with the same data. */
const GROUPS = [
  [
    'flag_types',
    'flags_get',
    'flags_search',
    'attachments_get',
    'attachments_search',
    'custom_get',
    'custom_search',
  ],
  ['flags_create'],
  ['flags_update'],
  ['flags_rights'],
  ['flags_move'],
  ['attachments_create'],
  ['attachments_update'],
  ['custom_create'],
  ['custom_update'],
  ['admin_flag_types'],
  ['admin_components'],
  ['admin_users'],
  ['admin_groups'],
  ['admin_misc'],
  ['bmo'],
];

const catalogue = catalogueOf('extras');
const keys = new Map(
  catalogue.users.flatMap(({ login, api_keys }) =>
    api_keys.flatMap(({ key, revoked }) =>
      revoked || key === undefined ? [] : [[login.split('@')[0], key] as const],
    ),
  ),
);

for (const sections of GROUPS) {
  describe(`recorded exchanges: ${sections.join(', ')}`, () => {
    let bugless: Bugless;
    beforeAll(async () => {
      bugless = await startBugless(catalogue, RECORDED_SETTINGS);
    });

    // Writes of the other half of the recording are missing: what they created cannot be read.
    for (const exchange of exchangesOf('extras', ...sections)) {
      const { index, section, name, as, request, body } = exchange;
      if (Number(/^GET \/rest\/bug\/(\d+)/.exec(request)?.[1]) > 60) continue;
      it(`${index} ${section}: ${name}, as ${as}: ${request}`, async () => {
        const [method = '', path = ''] = request.split(/ (.*)/s);
        const answer = await bugless.call(method, path, { key: keys.get(as), body });
        const fitting = exchange.accepted.filter(
          ({ status, code }) =>
            (status === undefined || status === answer.status) &&
            (code === undefined || code === answer.body.code),
        );
        expect(fitting, JSON.stringify(answer.body)).not.toEqual([]);
        const isCreation = Object.keys(answer.body).join() === 'id';
        if (answer.status >= 400 || isCreation) return;
        const wholes = fitting.filter(({ response }) => response !== undefined);
        const isOneOfThem = wholes.some(({ response }) => isAsExpected(response, answer.body));
        if (wholes.length > 0 && !isOneOfThem) expect(answer.body).toEqual(wholes[0]?.response);
      });
    }
  });
}
