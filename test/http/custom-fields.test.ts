import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { aProduct, REPORTER } from '../support/small-catalogue.ts';

const key = 'k'.repeat(40);
const HIDDEN = { group: 'team', entry: true, membercontrol: 'MANDATORY' };

const choice = (name: string, type: number) => ({
  ...{ name, display_name: name, type },
  values: [{ name: '---' }, { name: 'Yes' }, { name: 'No' }, { name: 'Gone', is_active: false }],
});
/** A field that is mandatory where another one has a value. */
const mandatory = (name: string, visibility_field: string, ...visibility_values: (string | string[])[]) => ({
  ...{ name, display_name: name, type: 1, is_mandatory: true },
  ...{ visibility_field, visibility_values },
});

const bugless = useStarted(() =>
  startBugless(
    parseCompleteCatalogue({
      groups: [
        { name: 'team', description: 'A team' },
        { name: 'editbugs', description: 'Editors' },
      ],
      users: [{ login: REPORTER, groups: ['editbugs'], api_keys: [{ key }] }],
      products: [aProduct(), aProduct(2, 'Hidden', { group_controls: [HIDDEN] })],
      bug_fields: [
        choice('cf_choice', 2),
        { name: 'cf_old', display_name: 'Old', type: 1, is_obsolete: true },
        choice('cf_several', 3),
        mandatory('cf_of_severity', 'bug_severity', 'critical', 'blocker'),
        mandatory('cf_of_status', 'bug_status', 'IN_PROGRESS'),
        mandatory('cf_of_choice', 'cf_choice', 'Yes'),
        mandatory('cf_of_several', 'cf_several', 'No'),
        mandatory('cf_of_product', 'product', 'Hidden'),
        mandatory('cf_of_component', 'component', ['Hidden', 'Core'], ['Alpha', 'None']),
      ],
    }),
  ),
);

const call = (method: string, path: string, body?: object) => bugless.call(method, path, { key, body });
const post = (given: object) =>
  call('POST', '/rest/bug', { product: 'Alpha', component: 'Core', version: '1', summary: 'New', ...given });
const create = async (given: object = {}): Promise<number> => (await post(given)).body.id;

describe.each([
  ['cf_of_severity', { severity: 'Critical' }],
  ['cf_of_status', { status: 'IN_PROGRESS' }],
  ['cf_of_choice', { cf_choice: 'yes' }],
  ['cf_of_several', { cf_several: ['Yes', 'No'] }],
])('%s is mandatory with %j', (field, shown) => {
  const refused = { code: 32000, message: expect.stringContaining(`'${field}'`) };

  it('in a new bug', async () => {
    expect((await post(shown)).body).toMatchObject(refused);
    expect((await post({ ...shown, [field]: 'x' })).status).toBe(200);
    expect((await post({})).status).toBe(200);
  });

  it.each([
    ['of a bug that has that value', shown, {}],
    ['of a bug that gets that value', {}, shown],
  ])('in an update %s', async (_, first, then) => {
    const [id, other] = [await create({ ...first, [field]: 'x' }), await create({ ...first, [field]: 'x' })];
    for (const ids of [[], [other]]) {
      expect((await call('PUT', `/rest/bug/${id}`, { ...then, ids, [field]: '' })).body).toMatchObject(
        refused,
      );
    }
    expect((await call('PUT', `/rest/bug/${id}`, { ...then, [field]: 'y' })).status).toBe(200);
  });
});

it.each([
  ['cf_of_product', 'product', []],
  ['cf_of_component', 'component', ['None']],
  ['cf_of_severity', 'bug_severity', ['blocker', 'critical']],
])(
  '%s names no hidden product or component: it is shown with %s %j',
  async (field, visibility_field, visibility_values) => {
    for (const query of ['', '?include_fields=visibility_field,visibility_values']) {
      const { body } = await bugless.call('GET', `/rest/field/bug/${field}${query}`);
      expect(body.fields).toEqual([expect.objectContaining({ visibility_field, visibility_values })]);
    }
  },
);

it('says which of its values are inactive', async () => {
  const { body } = await call('GET', '/rest/field/bug/cf_choice');
  expect(
    body.fields[0].values.map((one: { name: string; is_active?: boolean }) => [one.name, one.is_active]),
  ).toEqual([
    ['---', undefined],
    ['Yes', undefined],
    ['No', undefined],
    ['Gone', false],
  ]);
});

it('that is obsolete is listed where it is named, and no field of a quicksearch', async () => {
  const namesOf = async (query: string): Promise<string[]> => {
    const { body } = await call('GET', `/rest/field/bug${query}`);
    return body.fields.map(({ name }: { name: string }) => name);
  };
  expect(await namesOf('')).toContain('cf_choice');
  expect(await namesOf('')).not.toContain('cf_old');
  expect([await namesOf('/cf_old'), await namesOf('?names=cf_old')]).toEqual([['cf_old'], ['cf_old']]);
  expect((await call('GET', '/rest/bug?quicksearch=cf_old:x')).body.code).toBe(32000);
  expect((await call('GET', '/rest/bug?f1=cf_old&o1=substring&v1=x')).status).toBe(200);
});
