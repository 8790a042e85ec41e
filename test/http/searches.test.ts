import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bugless, startBuglessWithPermissions } from '../support/bugless.ts';
import { parseCompleteCatalogue } from '../support/complete-catalogue.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');

const NEW = { product: 'beta', component: 'Main', version: 'unspecified', summary: 'New' };
const JANE = 'doe,jane@example.com';
const JANES_KEY = 'JaneKey000000000000000000000000000000000';

let bugless: Bugless;
beforeAll(async () => {
  const recorded = catalogue();
  const bug = {
    ...{ product: 'beta', component: 'Main', version: 'unspecified', status: 'CONFIRMED', reporter: JANE },
    assigned_to: JANE,
  };
  const comment = (id: number, text = 'first') => ({
    id,
    creator: JANE,
    text,
    creation_time: '2024-01-01T00:00:00Z',
  });
  const added = parseCompleteCatalogue({
    users: [{ login: JANE, api_keys: [{ key: JANES_KEY }] }],
    keywords: [{ name: 'üni', description: 'd' }],
    bugs: [
      {
        ...bug,
        id: 900,
        summary: 'Zebra',
        qa_contact: JANE,
        cc: [JANE],
        comments: [comment(9_000), comment(9_003, 'zebra')],
      },
      { ...bug, id: 901, summary: 'किम', op_sys: 'Mac OS', keywords: ['üni'], comments: [comment(9_001)] },
      { ...bug, id: 902, summary: 'काम', comments: [comment(9_002)] },
    ],
  });
  bugless = await startBuglessWithPermissions(
    {
      ...recorded,
      users: [...recorded.users, ...added.users],
      keywords: [...recorded.keywords, ...added.keywords],
      bugs: [...recorded.bugs, ...added.bugs],
    },
    RECORDED_SETTINGS,
  );
});

const call = (method: string, path: string, body: object | undefined, as = 'user') =>
  bugless.call(method, path, { key: keys.get(as), body });

/** The ids of the bugs that a search finds, or the status and code of its error. */
async function found(parameters: Record<string, string>, as = 'user'): Promise<number[]> {
  const query = new URLSearchParams({ ...parameters, include_fields: 'id' });
  const { status, body } = await bugless.call('GET', `/rest/bug?${query}`, { key: keys.get(as) });
  return status === 200 ? body.bugs.map(({ id }: { id: number }) => id) : [status, body.code];
}

it.each<[string, number[]]>([
  ['needinfo?plain', [41, 45, 46]],
  ['flag:needinfo?plain', [41, 45, 46]],
  ['blocker?user', []],
  ['approval?insider', [41]],
  ['(needinfo?plain)', []],
  ['text:free', [51, 52]],
  ['whiteboard:what?', []],
  ['ALL (crash)', [8, 13, 20, 22, 23]],
  ['ALL (crash OR nothing)', [8, 13, 20, 22, 23]],
  ['IN_,RESO crash', [8]],
  ['', [400, 1000]],
  [' ', [400, 1000]],
  ['b:x', [400, 32000]],
  ['ALL cf_int>1a', [400, 52]],
])('quicksearch %j', async (quicksearch, expected) => {
  expect(await found({ quicksearch })).toEqual(expected);
});

type Chart = [field: string, operator: string, value: string];
const chart = ([f1, o1, v1]: Chart, as?: string) => found({ f1, o1, v1 }, as);
const chartOf = (given: string): Chart => {
  const [field = '', operator = '', value = ''] = given.split(' ');
  return [field, operator, value];
};

describe('what a caller may not see is not found by its changes', () => {
  beforeAll(async () => {
    for (const is_private of [true, false]) {
      await call('PUT', '/rest/bug/1', { comment_is_private: { 1: is_private, 2: !is_private } }, 'insider');
    }
    const secret = { summary: 'hush', flags: [{ name: 'superreview', status: '?' }] };
    const change = await call('PUT', '/rest/bug/attachment/3', secret, 'insider');
    expect(change.status).toBe(200);
  });

  it.each<[chart: string, number[]]>([
    ['longdescs.isprivate changedto 1', [1]],
    ['longdescs.isprivate changedto 0', [1]],
    ['longdescs.isprivate changedfrom 0', [1]],
    ['longdescs.isprivate changedby insider@example.com', [1]],
    ['longdescs.isprivate changedby user@example.com', []],
    ['longdescs.isprivate changedafter 2024-01-01', [1]],
    ['longdescs.isprivate changedbefore 2024-01-01', []],
  ])('privacy of comments: %j', async (given, expected) => {
    expect(await chart(chartOf(given), 'insider')).toEqual(expected);
    for (const outsider of ['user', 'plain', 'nobody'])
      expect(await chart(chartOf(given), outsider)).toEqual([401, 304]);
  });

  it('privacy of comments is for insiders, and never empty', async () => {
    expect(await chart(['longdescs.isprivate', 'isempty', ''], 'insider')).toEqual([400, 32000]);
    expect(await chart(['longdescs.isprivate', 'equals', '1'], 'insider')).toContain(1);
    expect(await chart(['longdescs.isprivate', 'equals', '1'])).toEqual([401, 304]);
    expect(await found({ longdescs_isprivate: '1' })).toEqual([401, 304]);
  });

  it.each<Chart>([
    ['attachments.description', 'changedto', 'hush'],
    ['attachments.description', 'changedby', 'insider@example.com'],
    ['attachments.description', 'changedafter', '2024-01-01'],
    ['flagtypes.name', 'changedto', 'superreview?'],
  ])('attachments: %s %s %s', async (...given) => {
    const [f1, o1, v1] = given;
    const some = { f1, o1, v1, id: '45,46,47' };
    expect(await found(some, 'insider')).toContain(47);
    for (const outsider of ['plain', 'nobody']) expect(await found(some, outsider)).not.toContain(47);
  });
});

it.each<[chart: string, number[]]>([
  ['cf_bug lessthan 2', [44, 51]],
  ['cf_bug lessthaneq 0', [44]],
  ['cf_bug equals 0', [44]],
  ['cf_bug greaterthan 0', [51, 52, 53]],
  ['cf_bug isempty', [44]],
  ['cf_int lessthan 1', [44, 52]],
  ['cf_text lessthan a', [44, 53]],
  ['qa_contact lessthan a', [44, 52, 53]],
  ['resolution lessthan A', [44, 51, 52, 53]],
  ['deadline lessthan 2030-01-01', []],
  ['cf_when lessthaneq 2000-01-01', []],
  ['cf_day lessthan 2000-01-01', []],
  ['dependson lessthan 1000', []],
  ['keywords lessthan zzz', []],
])('comparisons of what is empty: %j', async (given, expected) => {
  const [f1, o1, v1] = chartOf(given);
  expect(await found({ f1, o1, v1, id: '44,51,52,53' }, 'tracker')).toEqual(expected);
});

describe('a login with a comma', () => {
  it.each([
    ...['assigned_to', 'creator', 'qa_contact', 'cc', 'commenter'].map((name) => ({ [name]: JANE })),
    ...['exact', 'equals', 'anyexact', 'substring'].flatMap((emailtype1) =>
      ['assigned_to', 'reporter', 'qa_contact', 'cc', 'longdesc'].map((role) => ({
        ...{ email1: JANE.toUpperCase(), emailtype1, [`email${role}1`]: '1' },
      })),
    ),
    ...['equals', 'anyexact', 'substring', 'anywords', 'anywordssubstr', 'allwordssubstr'].map((o1) => ({
      ...{ f1: 'assigned_to', o1, v1: JANE },
    })),
    ...['anyexact', 'anywords'].map((o1) => ({
      ...{ f1: 'assigned_to', o1, v1: `user@example.com, ${JANE},other@example.com` },
    })),
    { assigned_to_type: 'anyexact', assigned_to: `${JANE},other@example.com` },
    ...['@"doe,jane"', 'assignee:"doe,jane@example.com"', 'reporter="doe,jane@example.com"'].map(
      (quicksearch) => ({ quicksearch }),
    ),
  ])('is found: %j', async (parameters) => {
    expect(await found({ ...parameters, summary: 'zebra' })).toEqual([900]);
  });

  it.each(['equals', 'anyexact'])('is that of the caller: %s', async (o1) => {
    const query = new URLSearchParams({ f1: 'cc', o1, v1: '%user%', include_fields: 'id' });
    const { body } = await bugless.call('GET', `/rest/bug?${query}`, { key: JANES_KEY });
    expect(body.bugs).toEqual([{ id: 900 }]);
  });

  it('is a user who changed bugs', async () => {
    await bugless.call('PUT', '/rest/bug/900', { key: JANES_KEY, body: { whiteboard: 'w' } });
    expect(await chart(['status_whiteboard', 'changedby', JANE])).toEqual([900]);
  });
});

describe('values', () => {
  const ids = '1,2,3,900,901,902';
  it.each<[Record<string, string>, number[]]>([
    [{ f1: 'op_sys', o1: 'anywords', v1: 'Mac BeOS' }, [901]],
    [{ f1: 'op_sys', o1: 'allwords', v1: 'OS Mac' }, [901]],
    [{ f1: 'op_sys', o1: 'nowords', v1: 'OS' }, [1, 2, 3, 900, 902]],
    [{ op_sys: 'Mac OS' }, [901]],
    [{ f1: 'short_desc', o1: 'equals', v1: 'काम' }, [902]],
    [{ keywords: 'uni' }, []],
    [{ keywords: 'ÜNI' }, [901]],
    [{ is_confirmed: '2' }, []],
    [{ is_confirmed: 'true' }, [1, 2, 3, 900, 901, 902]],
    [{ commenter: 'jane@example.com' }, []],
    [{ commenter: 'user' }, []],
    [{ f1: 'priority', o1: 'changedby', v1: 'nobody@example.com' }, [401, 504]],
    [{ status: 'All' }, [1, 2, 3, 900, 901, 902]],
    [{ status: 'All', f1: 'bug_status', o1: 'equals', v1: 'RESOLVED' }, [3]],
    [{ f1: 'days_elapsed', o1: 'lessthan', v1: '0' }, []],
    [{ f1: 'days_elapsed', o1: 'equals', v1: '0' }, [1, 900]],
    [{ f1: 'days_elapsed', o1: 'greaterthan', v1: '30' }, [2, 3, 901, 902]],
    [{ f1: 'owner_idle_time', o1: 'greaterthan', v1: '1d' }, [1, 2, 3, 901, 902]],
    [{ f1: 'owner_idle_time', o1: 'lessthan', v1: '1d' }, [900]],
    [{ f1: 'owner_idle_time', o1: 'equals', v1: '1d' }, [400, 32000]],
    [{ f1: 'owner_idle_time', o1: 'greaterthan', v1: '8' }, [400, 56]],
    [{ f1: 'bug_status', o1: 'changedbefore', v1: '8' }, [400, 56]],
    [{ f1: 'owner_idle_time', o1: 'greaterthan', v1: '"-8"' }, [400, 56]],
    [{ f1: 'everconfirmed', o1: 'lessthaneq', v1: '01' }, [1, 2, 3, 900, 901, 902]],
    [{ f1: 'everconfirmed', o1: 'greaterthan', v1: '01' }, []],
    [{ f1: 'everconfirmed', o1: 'equals', v1: '01' }, [1, 2, 3, 900, 901, 902]],
    [{ f1: 'comment_tag', o1: 'allwords', v1: '---' }, [1, 2, 3, 900, 901, 902]],
    [{ f1: 'attach_data.thedata', o1: 'anywordssubstr', v1: '---' }, [1, 2, 3, 900, 901, 902]],
    [{ f1: 'dependson', o1: 'anyexact', v1: '---' }, [1, 3, 900, 901, 902]],
    [{ f1: 'dependson', o1: 'equals', v1: '---' }, [400, 52]],
    [{ f1: 'assigned_to', o1: 'equals', v1: '%group.editcomponents%' }, [400, 804]],
    [{ f1: 'assigned_to', o1: 'equals', v1: '%group.nosuch%' }, [400, 804]],
    [{ f1: 'assigned_to', o1: 'notequals', v1: '%group.editbugs%' }, [900, 901, 902]],
    [{ limit: '02' }, [1, 2]],
    [{ limit: '', offset: '1' }, [1, 2, 3, 900, 901, 902]],
    [{ limit: '0', offset: '1' }, [1, 2, 3, 900, 901, 902]],
    [{ offset: '1' }, [400, 50]],
    [{ limit: '2', order: 'last_change_time' }, [901, 902]],
  ])('are compared as in Bugzilla: %j', async (parameters, expected) => {
    expect(await found({ ...parameters, id: ids })).toEqual(expected);
  });

  it('of a comment meet all conditions of a group that asks for one', async () => {
    const words = {
      f1: 'longdesc',
      o1: 'substring',
      v1: 'zebra',
      f2: 'longdesc',
      o2: 'substring',
      v2: 'first',
    };
    expect(await found({ ...words, id: '900' })).toEqual([900]);
    expect(await found({ ...words, id: '900', j_top: 'AND_G' })).toEqual([]);
  });

  it('of a comment are met by its writer, too, in a group that asks for one comment', async () => {
    const { id } = (await call('POST', '/rest/bug', { ...NEW, description: 'alpha' }, 'user')).body;
    await call('POST', `/rest/bug/${id}/comment`, { comment: 'omega' }, 'admin');
    const by = (login: string) =>
      found({
        ...{ id: String(id), j_top: 'AND_G', f1: 'longdesc', o1: 'substring', v1: 'omega' },
        ...{ f2: 'longdesc', o2: 'changedby', v2: login },
      });
    expect(await by('user@example.com')).toEqual([]);
    expect(await by('admin@example.com')).toEqual([id]);
  });

  it('of a change meet all conditions of a group that asks for one', async () => {
    const { id } = (await call('POST', '/rest/bug', NEW, 'user')).body;
    await call('PUT', `/rest/bug/${id}`, { priority: 'High' }, 'user');
    await call('PUT', `/rest/bug/${id}`, { priority: 'Low' }, 'admin');
    const changed = (to: string, by: string, rest: Record<string, string> = {}) =>
      found({
        ...{
          id: String(id),
          f1: 'priority',
          o1: 'changedto',
          v1: to,
          f2: 'priority',
          o2: 'changedby',
          v2: by,
        },
        ...rest,
      });
    const together = { j_top: 'AND_G' };
    expect(await changed('High', 'admin@example.com')).toEqual([id]);
    expect(await changed('High', 'admin@example.com', together)).toEqual([]);
    expect(await changed('High', 'user@example.com', together)).toEqual([id]);
    const valued = { f3: 'priority', o3: 'equals' };
    expect(await changed('High', 'user@example.com', { ...together, ...valued, v3: 'Low' })).toEqual([id]);
    expect(await changed('High', 'user@example.com', { ...together, ...valued, v3: 'High' })).toEqual([]);
  });
});

describe('the last visit', () => {
  const visit = (id: number, as: string) => call('POST', `/rest/bug_user_last_visit/${id}`, {}, as);
  const visited = (operator: string, value = '', as = 'user') =>
    chart(['last_visit_ts', operator, value], as);

  beforeAll(async () => {
    for (const id of [1, 3]) expect((await visit(id, 'user')).status).toBe(200);
    expect((await visit(1, 'insider')).status).toBe(200);
    // Changes have times of whole seconds.
    const [{ last_visit_ts }] = (await call('GET', '/rest/bug_user_last_visit/3', undefined)).body;
    await sleep(Math.max(0, Date.parse(last_visit_ts) + 1_000 - Date.now()));
    await call('PUT', '/rest/bug/3', { whiteboard: 'since the visit' }, 'admin');
  });

  it.each<[string, string, number[]]>([
    ['isnotempty', '', [1, 3]],
    ['greaterthan', '2024-01-01', [1, 3]],
    ['greaterthaneq', '7d', [1, 3]],
    ['greaterthan', '-1w', [1, 3]],
    ['lessthan', '7d', []],
    ['notequals', '2024-01-01', [1, 3]],
    ['equals', '2024-01-01', []],
    ['notsubstring', 'x', [1, 3]],
    ['lessthan', '%last_changed%', [3]],
    ['greaterthaneq', '%last_changed%', [1]],
    ['lessthan', 'yesterday', [400, 56]],
    ['substring', '%last_changed%', [400, 32000]],
    ['changedafter', '2024-01-01', [400, 32000]],
    ['changedby', 'user@example.com', [400, 32000]],
  ])('of the caller to a bug: %s %s', async (operator, value, expected) => {
    expect(await visited(operator, value)).toEqual(expected);
  });

  it('is that of the caller only', async () => {
    expect(await visited('isnotempty', '', 'insider')).toEqual([1]);
    for (const other of ['plain', 'nobody']) {
      expect(await visited('isnotempty', '', other)).toEqual([]);
      expect(await visited('greaterthan', '2024-01-01', other)).toEqual([]);
    }
    expect(await found({ f1: 'last_visit_ts', o1: 'isempty', v1: '', id: '1,2,3' })).toEqual([2]);
  });

  it('orders bugs, those without one first', async () => {
    await visit(1, 'user');
    expect(await found({ id: '1,2,3', order: 'last_visit_ts DESC' })).toEqual([1, 3, 2]);
    expect(await found({ f1: 'last_visit_ts', o1: 'isnotempty', v1: '', order: 'last_visit_ts' })).toEqual([
      3, 1,
    ]);
  });

  it('tells nothing of a bug that became hidden', async () => {
    await call('PUT', '/rest/bug/3', { groups: { add: ['insiders'] } }, 'admin');
    const hidden = (await bugless.call('GET', '/rest/bug/3', { key: keys.get('user') })).status !== 200;
    expect((await visited('isnotempty')).includes(3)).toBe(!hidden);
  });
});

describe('old names of parameters', () => {
  it('leave out bugs as bugidtype=exclude says', async () => {
    const all = await found({ limit: '0' });
    expect(await found({ bug_id: '1,2,3', bugidtype: 'exclude', limit: '0' })).toEqual(
      all.filter((id: number) => id > 3),
    );
    expect(await found({ bug_id: '1,2,3', bugidtype: 'include' })).toEqual([1, 2, 3]);
  });

  it.each([
    ['changedin', 'days_elapsed', '0'],
    ['tags', 'tag', 'nosuch'],
    ['long_desc', 'longdesc', 'crash'],
  ])('mean the same as new ones: %s and %s', async (old, name, value) => {
    expect(await found({ [old]: value })).toEqual(await found({ [name]: value }));
    expect(await found({ [old]: value })).not.toEqual(await found({ limit: '0' }));
  });
});
