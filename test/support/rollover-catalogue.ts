import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { keys } from './keys.ts';
import { parseNumbered } from './numbered.ts';

const ADMIN = 'admin@example.com';
const PEOPLE = ['ann@example.com', 'ben@example.com', 'cem@example.com', 'dora@example.com'];
const GROUPS = [
  'admin',
  'editusers',
  'creategroups',
  'editbugs',
  'editcomponents',
  'insiders',
  'timetrackers',
  'taggers',
];
const STATUSES = ['NEW', 'ASSIGNED', 'REOPENED', 'CLOSED'];

const time = (bug: number, minute: number): string =>
  new Date(Date.UTC(2015, 0, 1 + bug, 8, minute)).toISOString().replace('.000', '');

/**
 * A Bugzilla as teams have one: old statuses, public, private and partly private products, bugs in groups, private comments and
 * attachments, flags, custom fields, people who left.
 */
export function rolloverCatalogue(bugs: number): Catalogue {
  const names = [...GROUPS, 'security', 'team'];
  const status = (name: string, isOpen: boolean) => ({
    ...{ name, is_open: isOpen, is_active: true },
    can_change_to: STATUSES.filter((one) => one !== name).map((one) => ({ name: one })),
  });
  const product = (id: number, name: string, more: object = {}) => ({
    ...{ id, name, description: `About ${name}`, default_milestone: 'M1' },
    components: [
      { id: 10 * id, name: 'Core', description: 'Core', default_assigned_to: PEOPLE[0] },
      { id: 10 * id + 1, name: 'Docs', description: 'Docs', default_assigned_to: PEOPLE[1] },
    ],
    versions: [{ id: 10 * id, name: '1.0' }],
    milestones: [{ id: 10 * id, name: 'M1' }],
    flag_types: [{ id, name: `review${id}`, description: 'Review', target: 'bug' }],
    ...more,
  });
  const control = { group: 'security', entry: true, membercontrol: 'MANDATORY', canedit: false };
  return parseNumbered({
    groups: names.map((name, at) => ({ id: at + 1, name, description: name })),
    users: [
      { id: 1, login: ADMIN, real_name: 'Ada', groups: names, api_keys: [{ key: keys.admin }] },
      ...PEOPLE.map((login, at) => ({
        ...{
          id: at + 2,
          login,
          real_name: `Person ${at}`,
          groups: at === 0 ? ['security', 'insiders'] : ['team'],
        },
        ...(at === 3 ? { disabled: 'Left in spring' } : {}),
        ...(at === 2 ? { email_enabled: false } : {}),
      })),
    ],
    keywords: [{ name: 'perf', description: 'Performance' }],
    field_values: {
      bug_status: [
        { name: '', is_open: true, is_active: true, can_change_to: [{ name: 'NEW' }] },
        ...STATUSES.map((name) => status(name, name !== 'CLOSED')),
      ],
    },
    bug_fields: [{ name: 'cf_build', type: 1, display_name: 'Build' }],
    products: [
      product(1, 'Public'),
      product(2, 'Vault', { group_controls: [control] }),
      product(3, 'Mixed', {
        group_controls: [{ ...control, group: 'team', entry: false, membercontrol: 'SHOWN' }],
      }),
    ],
    bugs: Array.from({ length: bugs }, (_, at) => rolloverBug(at + 1)),
  });
}

function rolloverBug(id: number): object {
  const person = (at: number) => PEOPLE[(id + at) % PEOPLE.length];
  const product = ['Public', 'Vault', 'Public', 'Mixed'][id % 4] ?? 'Public';
  const isClosed = id % 5 === 0;
  const hasAttachment = id % 6 === 1;
  const texts = ['It fails', 'It fails here, too', 'This is private', 'See the log'].slice(0, 2 + (id % 3));
  const comments = texts.map((text, count) => ({
    ...{
      id: 10 * id + count,
      text: `${text}, ${id}`,
      creator: person(count),
      creation_time: time(id, 10 * count),
    },
    ...{ is_private: count === 2, tags: count === 1 && id % 4 === 0 ? ['later'] : [] },
  }));
  const attached = (offset: number, isPrivate: boolean) => ({
    ...{
      id: 2 * id + offset,
      file_name: `log${id}.txt`,
      summary: 'Log',
      content_type: 'text/plain',
      creator: person(0),
    },
    ...{ creation_time: time(id, 40), last_change_time: time(id, 40), is_private: isPrivate },
    data: Buffer.from(`log of ${id}, ${offset}`).toString('base64'),
  });
  const attachmentComments = [0, 1].map((offset) => ({
    ...{ id: 10 * id + 5 + offset, text: `Created attachment ${2 * id + offset}\nLog`, creator: person(0) },
    ...{ creation_time: time(id, 40), is_private: offset === 1, attachment_id: 2 * id + offset },
  }));
  return {
    ...{ id, product, component: id % 2 === 0 ? 'Core' : 'Docs', version: '1.0', summary: `Bug ${id}` },
    ...{
      target_milestone: 'M1',
      status: isClosed ? 'CLOSED' : STATUSES[id % 3],
      resolution: isClosed ? 'FIXED' : '',
    },
    ...{ reporter: person(0), assigned_to: person(1), cc: id % 3 === 0 ? [person(2)] : [] },
    ...{
      keywords: id % 7 === 0 ? ['perf'] : [],
      cf_build: id % 8 === 0 ? `b${id}` : '',
      whiteboard: `w${id % 9}`,
    },
    ...{ depends_on: id > 4 && id % 9 === 0 ? [id - 1] : [], aliases: id % 50 === 0 ? [`alias-${id}`] : [] },
    groups: product === 'Vault' ? ['security'] : product === 'Mixed' && id % 8 === 3 ? ['team'] : [],
    flags:
      id % 10 === 2
        ? [
            {
              ...{
                id,
                type_id: ['Public', 'Vault', 'Mixed'].indexOf(product) + 1,
                name: `review${['Public', 'Vault', 'Mixed'].indexOf(product) + 1}`,
              },
              ...{
                status: '+',
                setter: PEOPLE[0],
                creation_date: time(id, 30),
                modification_date: time(id, 30),
              },
            },
          ]
        : [],
    comments: hasAttachment ? [...comments, ...attachmentComments] : comments,
    attachments: hasAttachment ? [attached(0, false), attached(1, true)] : [],
    history: [
      {
        ...{ when: time(id, 35), who: person(1) },
        changes: [{ field_name: 'whiteboard', removed: '', added: `w${id % 9}` }],
      },
    ],
    last_change_time: time(id, 40),
  };
}
