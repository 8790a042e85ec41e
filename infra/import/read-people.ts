import { compileExpression } from '../../lib/people/group-expression.ts';
import {
  MAIL_CHANGES,
  MAIL_ROLES,
  type MailChange,
  type MailRole,
} from '../../lib/people/mail-preferences.ts';
import { hashOf } from '../../lib/people/repository.ts';
import { groupNameProblem, loginProblem } from '../../lib/people/validation.ts';
import type { Source } from './read-source.ts';
import { type Row, uniqueNames } from './row.ts';

/** The names of people, groups and what else has an id. */
export interface Names {
  /** the login of a user; of one who is gone a stand-in */
  login(id: number): string;
  /** undefined: the user is gone */
  knownLogin(id: number): string | undefined;
  /** the name of a group; of one that is gone a stand-in, in which nobody is */
  group(id: number): string;
}

const GONE = 'Gone from Bugzilla';
const GONE_USER = { real_name: '', disabled: GONE, email_enabled: false };
const STANDINS = 'users, groups and products that are gone, with stand-ins';
const ORPHANS = 'rows without what they belong to';

/** Reads users with all that is theirs, and groups. */
export async function readPeople({ database, clock, problems }: Source) {
  const { select, selectBy } = database;
  // From 5.1 on a login may be another than the address, which is the login here.
  const login = database.columns.get('profiles')?.has('email') ? 'email' : 'login_name';
  const profiles = await select(
    'profiles',
    `userid ${login} realname disabledtext is_enabled disable_mail`,
    'ORDER BY userid',
  );
  const logins = uniqueNames(
    profiles,
    'user',
    loginProblem,
    (id, change) => problems.add('users with changed logins', `user ${id}`, change),
    { id: 'userid', name: login },
  );
  const groupRows = await select('groups', 'id name description userregexp isactive', 'ORDER BY id');
  const groupNames = uniqueNames(groupRows, 'group', groupNameProblem);
  const goneUsers = new Map<number, string>();
  const goneGroups = new Map<number, string>();
  const standIn = (gone: Map<number, string>, id: number, what: string) => {
    const name = gone.get(id) ?? `gone-${what}-${id}`;
    if (!gone.has(id)) problems.add(STANDINS, `${what} ${id}`, `its name here is '${name}'`);
    gone.set(id, name);
    return name;
  };
  const names: Names = {
    knownLogin: (id) => logins.get(id),
    login: (id) => logins.get(id) ?? standIn(goneUsers, id, 'user'),
    group: (id) => groupNames.get(id) ?? standIn(goneGroups, id, 'group'),
  };

  /** The rows of a table by a column with the id of a user who exists. */
  async function byOwner(table: string, owner: string, columns: string, rest = '') {
    const rows = await select(table, `${owner} ${columns}`, rest);
    const known = rows.filter((row) => logins.has(row.number(owner)));
    if (known.length < rows.length) {
      problems.add(ORPHANS, table, `${rows.length - known.length} rows of what is gone`);
    }
    return Map.groupBy(known, (row) => row.number(owner));
  }

  const membership = await byOwner('user_group_map', 'user_id', 'group_id isbless grant_type');
  const keys = await byOwner('user_api_keys', 'user_id', 'api_key description revoked', 'ORDER BY id');
  const settings = await byOwner('email_setting', 'user_id', 'relationship event');
  const watches = await byOwner('watch', 'watcher', 'watched');
  const groupOfSearch = new Map(
    (await select('namedquery_group_map', 'namedquery_id group_id')).map((row) => [
      row.number('namedquery_id'),
      names.group(row.number('group_id')),
    ]),
  );
  const searches = await byOwner('namedqueries', 'userid', 'id name query', 'ORDER BY id');
  const visits = await byOwner('bug_user_last_visit', 'user_id', 'bug_id last_visit_ts');

  const groupsOf = (rows: readonly Row[], column = 'group_id'): string[] => [
    ...new Set(rows.map((row) => names.group(row.number(column)))),
  ];
  const expressions = new Map<number, Awaited<ReturnType<typeof expressionOf>>>();
  for (const row of groupRows) expressions.set(row.number('id'), await expressionOf(row.text('userregexp')));

  /** Whether a user is in a group by its expression, also here: whom Bugzilla has found otherwise is in it directly. */
  const isFound = (row: Row, login: string): boolean =>
    row.number('grant_type') === BY_REGEXP &&
    expressions.get(row.number('group_id'))?.matches?.(login) === true;

  const users = profiles.map((row) => {
    const id = row.number('userid');
    const isEnabled = row.has('is_enabled') ? row.boolean('is_enabled') : row.text('disabledtext') === '';
    const [bless = [], member = []] = [true, false].map((isBless) =>
      (membership.get(id) ?? []).filter((one) => one.boolean('isbless') === isBless),
    );
    const off = mailOff(settings.get(id) ?? []);
    if (off.isFiner) {
      const why =
        'mails for some kinds of changes in some roles only: here a kind is on in all roles, or off in all';
      problems.add('preferences that are finer there', `user '${names.login(id)}'`, why);
    }
    return {
      id,
      login: names.login(id),
      real_name: cleanText(row.text('realname')),
      disabled: isEnabled ? null : cleanText(row.text('disabledtext')) || 'Disabled in Bugzilla',
      email_enabled: !row.boolean('disable_mail'),
      groups: groupsOf(member.filter((one) => !isFound(one, names.login(id)))),
      bless_groups: groupsOf(bless),
      mail_off: { roles: off.roles, changes: off.changes },
      api_keys: (keys.get(id) ?? []).map((key) => ({
        key_sha256: hashOf(key.text('api_key')),
        description: cleanText(key.text('description')),
        revoked: key.boolean('revoked'),
      })),
      saved_searches: (searches.get(id) ?? []).map((search) => ({
        id: search.number('id'),
        name: search.text('name').trim(),
        query: search.text('query').replaceAll(';', '&'),
        group: groupOfSearch.get(search.number('id')) ?? null,
      })),
      watched_users: (watches.get(id) ?? []).flatMap((one) => names.knownLogin(one.number('watched')) ?? []),
      watched_components: [],
      last_visits: (visits.get(id) ?? []).flatMap((visit) => {
        const time = clock.time(visit.text('last_visit_ts'));
        return time === undefined ? [] : [{ bug: visit.number('bug_id'), time }];
      }),
    };
  });

  const related = await selectBy('group_group_map', 'member_id', 'grantor_id grant_type');
  const relationsOf = (id: number) => {
    const others = (related.get(id) ?? []).filter((one) => one.number('grantor_id') !== id);
    const to = (type: number) =>
      groupsOf(
        others.filter((one) => one.number('grant_type') === type),
        'grantor_id',
      );
    return {
      member_of: to(RELATIONS.member),
      bless_groups: to(RELATIONS.bless),
      visible_groups: to(RELATIONS.visible),
    };
  };
  const groups = groupRows.map((row) => {
    const id = row.number('id');
    const { text = '', matches } = expressions.get(id) ?? {};
    if (text !== '' && matches === undefined) {
      problems.add(
        'groups whose expression is not read here: their members stay as they are',
        `group '${names.group(id)}'`,
        row.text('userregexp'),
      );
    }
    return {
      id,
      name: names.group(id),
      description: cleanText(row.text('description')),
      is_active: row.boolean('isactive'),
      user_regexp: matches === undefined ? '' : text,
      ...relationsOf(id),
    };
  });
  // Those that only groups name, too.
  for (const row of [...related.values()].flat()) {
    for (const id of ['member_id', 'grantor_id']) names.group(row.number(id));
  }

  return {
    names,
    users,
    groups,
    /** What bugs refer to and Bugzilla does not have any more; to be called when the bugs were read. */
    standIns: () => ({
      users: [...goneUsers].map(([id, login]) => ({ id, login, ...GONE_USER })),
      groups: [...goneGroups].map(([id, name]) => ({
        ...{ id, name, description: GONE, is_active: false },
        ...relationsOf(id),
      })),
    }),
  };
}

/** How a user came into a group, in `user_group_map`. */
const BY_REGEXP = 2;
/** What one group means for another, in `group_group_map`. */
const RELATIONS = { member: 0, bless: 1, visible: 2 };

/** A text without the control characters that texts may not have here. */
const cleanText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, ' ');

/** The expression of a group as it is read here, and whom it finds; undefined: it has what only Perl has. */
async function expressionOf(given: string) {
  const text = given
    .trim()
    .replaceAll(/\(\?#[^)]*\)/g, '')
    .replaceAll('\\Z', '\\z');
  return { text, matches: text === '' ? undefined : await compileExpression(text) };
}

const ROLES: Partial<Record<number, MailRole>> = {
  0: 'assigned_to',
  1: 'qa_contact',
  2: 'reporter',
  3: 'cc',
};
const CHANGES: Record<MailChange, readonly number[]> = {
  new: [10],
  comments: [2],
  status: [6],
  cc: [8],
  other: [0, 1, 3, 4, 5, 7, 9, 11],
};

/** What of mails is off: a role in which no change is mailed, and a kind that is mailed in no role. */
function mailOff(rows: readonly Row[]): { roles: MailRole[]; changes: MailChange[]; isFiner: boolean } {
  const on = new Set(rows.map((row) => `${row.number('relationship')} ${row.number('event')}`));
  const isOn = (role: string, change: MailChange) =>
    CHANGES[change].some((event) => on.has(`${role} ${event}`));
  // Of changes of CC alone only reporters are told, as by default there.
  const relations = Object.entries(ROLES);
  const roles = relations.flatMap(([relation, role]) =>
    role === undefined || MAIL_CHANGES.some((change) => isOn(relation, change)) ? [] : [role],
  );
  const present = relations.filter(([, role]) => role !== undefined && !roles.includes(role));
  const changes = MAIL_CHANGES.filter((change) => !present.some(([relation]) => isOn(relation, change)));
  const isFiner = MAIL_CHANGES.filter((change) => change !== 'cc').some(
    (change) => !changes.includes(change) && present.some(([relation]) => !isOn(relation, change)),
  );
  return { roles: MAIL_ROLES.filter((role) => roles.includes(role)), changes, isFiner };
}
