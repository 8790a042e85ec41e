import { type CompleteCatalogue, parseCompleteCatalogue } from '../complete-catalogue.ts';

const groupsOfUsers = {
  /** in every group */
  admin: ['editcomponents', 'insiders', 'timetrackers', 'taggers', 'canconfirm', 'editbugs', 'secret-team'],
  /** updates products, but does not see all of them */
  editor: ['editcomponents'],
  insider: ['insiders', 'taggers'],
  secret: ['secret-team', 'taggers'],
  tracker: ['timetrackers', 'canconfirm'],
  plain: [],
};
type UserName = keyof typeof groupsOfUsers;
const userNames = Object.keys(groupsOfUsers) as UserName[];

/** The sender of a request: a user, or an anonymous caller. */
export type CallerName = UserName | 'anonymous';

export const ALL_CALLERS: CallerName[] = [...userNames, 'anonymous'];

const loginOf = (user: UserName): string => `${user}@example.com`;

/** The API key of a caller; undefined for anonymous ones. */
export const keyOf = (callerName: CallerName): string | undefined =>
  callerName === 'anonymous' ? undefined : callerName.padEnd(40, '0');

const release = (id: number, name: string, more: object = {}) => ({ id, name, ...more });
const core = (id: number, more: object = {}) => ({
  id,
  name: 'Core',
  default_assigned_to: loginOf('plain'),
  ...more,
});
const simple = (id: number, more: object) => ({
  id,
  description: 'd',
  components: [core(id * 10)],
  versions: [release(id * 10, '1.0')],
  milestones: [release(id * 10, 'M1')],
  default_milestone: 'M1',
  ...more,
});
const secretTeam = (more: object) => ({ group_controls: [{ group: 'secret-team', ...more }] });

const comment = (id: number, more: object = {}) => ({
  id,
  text: `comment ${id}`,
  creator: loginOf('plain'),
  creation_time: '2024-01-02T00:00:00Z',
  ...more,
});

/** The initial data of every run: few items, with every kind of visibility. */
export const start: CompleteCatalogue = parseCompleteCatalogue({
  groups: [...new Set(Object.values(groupsOfUsers).flat())].map((name, place) => ({ id: place + 1, name })),
  users: userNames.map((user, place) => ({
    id: place + 1,
    login: loginOf(user),
    real_name: `Somebody ${user}`,
    groups: groupsOfUsers[user],
    api_keys: [{ key: keyOf(user) }],
  })),
  classifications: [{ name: 'Unclassified' }, { name: 'Server' }],
  products: [
    {
      ...simple(1, { name: 'Alpha', classification: 'Server' }),
      components: [
        core(10, { sort_key: 5, default_qa_contact: loginOf('insider') }),
        core(11, { name: 'Old', is_active: false, sort_key: 5 }),
        core(12, { name: 'Zeroth' }),
      ],
      versions: [release(10, '10.0'), release(11, '2.0', { is_active: false }), release(12, '1.0')],
      milestones: [release(10, 'M1', { sort_key: 3 }), release(11, 'M2', { is_active: false })],
      flag_types: [
        { id: 1, name: 'blocker', target: 'bug', cc_list: [loginOf('plain'), loginOf('editor')] },
        {
          id: 2,
          name: 'review',
          target: 'attachment',
          grant_group: 'secret-team',
          components: ['Core'],
          is_requesteeble: false,
        },
      ],
    },
    simple(2, { name: 'Secret', ...secretTeam({ entry: true, membercontrol: 'MANDATORY' }) }),
    simple(3, { name: 'Gate', ...secretTeam({ entry: true }) }),
    simple(4, { name: 'Veiled', has_unconfirmed: false, ...secretTeam({ membercontrol: 'MANDATORY' }) }),
    simple(5, { name: 'Closed', is_active: false, ...secretTeam({ membercontrol: 'SHOWN' }) }),
    simple(6, { name: 'Guarded', ...secretTeam({ canedit: true, membercontrol: 'DEFAULT' }) }),
  ],
  bugs: [
    {
      id: 1,
      aliases: ['first'],
      product: 'Alpha',
      component: 'Core',
      version: '1.0',
      summary: 'open to all',
      reporter: loginOf('plain'),
      comments: [
        comment(1),
        comment(2, { is_private: true, creator: loginOf('insider'), tags: ['obsolete'] }),
        comment(3, { creation_time: '2024-01-02T00:00:01Z', attachment_id: 7, tags: ['Spam'] }),
      ],
    },
    {
      id: 2,
      product: 'Secret',
      component: 'Core',
      version: '1.0',
      summary: 'of a team, and seen by the one who told of it',
      reporter: loginOf('plain'),
      qa_contact: loginOf('insider'),
      groups: ['secret-team'],
      comments: [comment(4), comment(5, { is_private: true })],
    },
    {
      id: 3,
      aliases: ['guarded'],
      product: 'Guarded',
      component: 'Core',
      version: '1.0',
      summary: 'commented on in the future',
      reporter: loginOf('tracker'),
      cc: [loginOf('editor')],
      groups: ['secret-team'],
      comments: [comment(6), comment(7, { creation_time: '2099-12-31T23:59:59Z', tags: ['Spam'] })],
    },
    {
      id: 4,
      product: 'Closed',
      component: 'Core',
      version: '1.0',
      status: 'RESOLVED',
      resolution: 'WONTFIX',
      summary: 'of two groups',
      reporter: loginOf('tracker'),
      assigned_to: loginOf('secret'),
      groups: ['secret-team', 'insiders'],
      comments: [comment(8, { is_private: true, work_time: 2 })],
    },
  ],
});
