import { beforeAll, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { clientOf, FILE, NEW_BUG } from '../support/client.ts';
import { keys } from '../support/keys.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aBug, aComment } from '../support/small-catalogue.ts';
import { useFaultProxy } from '../support/use-fault-proxy.ts';

const bugless = useStarted(async () => {
  const proxy = await useFaultProxy();
  return { ...(await startBugless(undefined, { DYNAMODB_ENDPOINT: proxy.endpoint })), proxy };
});
const key = keys.admin;

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await bugless.fetch(path, { redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const asUser = (one: string) => ({ 'x-bugzilla-api-key': one });

const BUG = { ...NEW_BUG, description: '<b>"x"</b>\u0001 & ü' };
const { done } = clientOf(bugless, new Map([['admin', key]]));
let formula = 0;
let hidden = 0;
beforeAll(async () => {
  const create = async (changed: object): Promise<number> =>
    (await done('POST', '/rest/bug', { ...BUG, whiteboard: 'csvtest', ...changed })).id;
  formula = await create({ summary: '=HYPERLINK("http://evil.example")', alias: ['one'] });
  hidden = await create({ summary: '-1, "two"\nlines', product: 'DropBox', component: 'Main' });
  await done('POST', `/rest/bug/${formula}/comment`, { comment: 'not for all', is_private: true });
  const data = Buffer.from('hello').toString('base64');
  await done('POST', `/rest/bug/${formula}/attachment`, { ...FILE, data });
});

describe('addresses of Bugzilla', () => {
  it.each([
    [
      '/buglist.cgi?ctype=csv&product=A%20B&product=C&api_key=secret',
      'rest/bugless/list.csv?product=A+B&product=C',
    ],
    ['/buglist.cgi?quicksearch=moon&ctype=atom', 'rest/bugless/list.atom?quicksearch=moon'],
    ['/buglist.cgi?ctype=RSS&Bugzilla_token=1-x', 'rest/bugless/list.atom?'],
    ['/show_bug.cgi?ctype=xml&id=1&id=2', 'rest/bugless/bug.xml?id=1&id=2'],
    ['/index.cgi', './'],
    ['/describekeywords.cgi', 'query.cgi'],
    ['/showdependencytree.cgi?id=12&hide_resolved=1', 'show_bug.cgi?id=12'],
    ['/showdependencytree.cgi', './'],
    ['/describecomponents.cgi?product=A%26B', 'buglist.cgi?product=A%26B&bug_status=__open__'],
  ])('%s leads on', async (path, location) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('location')]).toEqual([307, location]);
  });

  it.each(['/buglist.cgi?ctype=rdf', '/show_bug.cgi?id=1&ctype=csv', '/?ctype=csv'])(
    '%s has no such format',
    async (path) => expect((await get(path)).status).toBe(406),
  );

  it('where there is nothing, words for people and JSON for programs', async () => {
    const page = await get('/page.cgi?id=voting.html', { accept: 'text/html,*/*' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
    expect(page.text).toContain('Bugless has no page at this address');
    const program = await get('/page.cgi?id=voting.html');
    expect([program.status, JSON.parse(program.text).code]).toEqual([404, 32614]);
  });

  it('robots.txt leaves formats alone', async () => {
    const { status, text } = await get('/robots.txt');
    expect([status, text]).toEqual([200, expect.stringContaining('Disallow: /*ctype=')]);
  });
});

describe('a list as CSV', () => {
  const csv = (query: string, one: string = key) =>
    get(`/rest/bugless/list.csv?whiteboard=csvtest&${query}`, asUser(one));

  it('has the columns of 5.2, or those of the request, and runs no formula', async () => {
    const { status, headers, text } = await csv('order=bug_id');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=UTF-8']);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="bugs-\d{4}-\d\d-\d\d\.csv"$/);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const time = '"\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"';
    const [heading, first, second] = text.split(/\n(?=\d|$)/);
    expect(heading).toBe(
      'bug_id,"product","component","assigned_to","bug_status","resolution","short_desc","changeddate"',
    );
    expect(first).toMatch(
      new RegExp(
        `^${formula},"Alpha","UI","[^"]+","CONFIRMED"," ---","'=HYPERLINK\\(""http://evil.example""\\)",${time}$`,
      ),
    );
    expect(second).toContain(`"'-1, ""two"" lines"`);
  });

  it('has titles, real names and flags on request', async () => {
    const { text, headers } = await csv(
      `bug_id=${formula}&columnlist=opendate,short_desc,reporter_realname,alias,everconfirmed,nosuch,flagtypes.name,bug_id&human=1&order=nosuch`,
    );
    const [heading, row] = text.split('\n');
    expect(heading).toBe('"Bug ID","Opened","Summary","Reporter Real Name","Alias","Flags"');
    expect(row).toMatch(/"Ada Admin","one",$/);
    expect(headers.get('x-bugless-ignored')).toBe(
      'columnlist everconfirmed, columnlist nosuch, order nosuch',
    );
  });

  it('shows what the caller sees, and has every column', async () => {
    const { text } = await csv('columnlist=all', keys.plain);
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toMatch(/^bug_id,"classification","product",.*,"short_short_desc"/);
    expect(text).not.toContain('estimated_time');
    const hours = await csv(
      'columnlist=estimated_time,actual_time,percentage_complete,last_visit_ts,tag&order=bug_id',
    );
    expect(hours.text).toBe(
      `bug_id,"estimated_time","actual_time","percentage_complete","last_visit_ts","tag"\n${formula},0.00,0.00,0,,\n${hidden},0.00,0.00,0,,`,
    );
  });

  it('has the orders of lists by name, and addresses for callers with a key only', async () => {
    const ids = async (query: string) =>
      (await get(`/rest/bugless/list.csv?product=Alpha&columnlist=reporter&${query}`)).text;
    const [first] = (await ids('order=Bug+Number')).split('\n').slice(1);
    expect(first).toMatch(/^1,"[^"@]+"$/);
    const listed = await Promise.all([ids('order=reuse+last+sort'), ids('')]);
    expect(listed[0]).toBe(listed[1]);
    expect(await ids('order=Last+Changed')).not.toBe(listed[0]);
    expect((await csv('columnlist=reporter')).text).toContain('@');
  });

  it.each(['api_key', 'Bugzilla_api_key', 'token', 'Bugzilla_password'])(
    'refuses %s in the address',
    async (name) => {
      const { status, text } = await csv(`${name}=${key}`);
      expect([status, JSON.parse(text).error]).toEqual([400, true]);
    },
  );
});

it('a feed has the bugs that changed last', async () => {
  const { status, headers, text } = await get(
    '/rest/bugless/list.atom?whiteboard=csvtest&order=bug_id',
    asUser(key),
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=UTF-8']);
  expect(text.match(/<entry>/g)).toHaveLength(2);
  expect(text.indexOf(`[Bug ${formula}]`)).toBeLessThan(text.indexOf(`[Bug ${hidden}]`));
  expect(text).toContain(`<id>${bugless.url}/show_bug.cgi?id=${formula}</id>`);
  expect(text).toContain('=HYPERLINK(&quot;http://evil.example&quot;)');
  const limited = await get('/rest/bugless/list.atom?whiteboard=csvtest&limit=1', asUser(key));
  expect(limited.text.match(/<entry>/g)).toHaveLength(1);
  expect((await get('/rest/bugless/list.atom?whiteboard=csvtest')).text.match(/<entry>/g)).toHaveLength(1);
});

it('a list as HTML has what the caller sees, as text, and can run no script', async () => {
  const { status, headers, text } = await get('/rest/bugless/list.html?whiteboard=csvtest', asUser(key));
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text.match(/<tr><td/g)).toHaveLength(2);
  expect(text).toContain('=HYPERLINK(&quot;http://evil.example&quot;)');
  expect((await get('/rest/bugless/list.html?whiteboard=csvtest')).text.match(/<tr><td/g)).toHaveLength(1);
});

describe('bugs as XML', () => {
  it('have what the caller sees: fields, comments, attachments', async () => {
    const path = `/rest/bugless/bug.xml?id=${formula},${hidden}&id=99999`;
    const { status, headers, text } = await get(path, asUser(keys.plain));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=UTF-8']);
    expect(text).toContain(`<bug_id>${formula}</bug_id>`);
    expect(text).toContain('<alias>one</alias>');
    expect(text).toContain('<reporter name="Ada Admin">admin@example.com</reporter>');
    expect(text).toContain('<thetext>&lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; ü</thetext>');
    expect(text).toMatch(/<creation_ts>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000<\/creation_ts>/);
    expect(text).toContain('<filename>a.txt</filename>');
    expect(text).toContain(`<bug error="NotPermitted">\n<bug_id>${hidden}</bug_id>`);
    expect(text).toContain('<bug error="InvalidBugId">\n<bug_id>99999</bug_id>');
    expect(text).toContain('<data encoding="base64">aGVsbG8=\n</data>');
    expect(text).not.toMatch(/not for all|two|estimated_time/);
    const whole = await get(path, asUser(key));
    expect(whole.text).toContain('not for all');
    expect(whole.text).toContain('<estimated_time>0.00</estimated_time>');
    expect(whole.text).toContain('exporter="admin@example.com"');
    const few = await get(`${path}&field=short_desc&excludefield=attachment`, asUser(key));
    expect(few.text).not.toMatch(/<long_desc|<attachment|<product>/);
    const alone = await get(`${path}&field=attachmentdata&dtd=1`, asUser(key));
    expect(alone.text).not.toMatch(/<data |<attachment |<bug_id>1</);
    expect(alone.text).toMatch(/<!DOCTYPE bugzilla \[\n<!ELEMENT bugzilla/);
  });

  it('show present summaries in comments on attachments', async () => {
    const { bugs } = await done('GET', `/rest/bug/${formula}/attachment?exclude_fields=data`);
    const [{ id }] = bugs[formula];
    await done('PUT', `/rest/bug/attachment/${id}`, { summary: 'Another' });
    for (const query of ['', '&excludefield=attachment']) {
      const { text } = await get(`/rest/bugless/bug.xml?id=${formula}${query}`);
      expect(text).toContain(`Created attachment ${id}\nAnother</thetext>`);
    }
  });

  it('show groups by their ids, and hours of comments to time trackers', async () => {
    const { text } = await get(`/rest/bugless/bug.xml?id=${hidden}`, asUser(key));
    expect(text).toMatch(/<group id="\d+">[\w-]+<\/group>/);
    await done('POST', `/rest/bug/${hidden}/comment`, { comment: "It's done", work_time: 1.5 });
    const path = `/rest/bugless/bug.xml?id=${hidden}&field=long_desc`;
    const worked = await get(`${path}&field=actual_time`, asUser(key));
    expect(worked.text).toContain('<actual_time>1.50</actual_time>');
    expect(worked.text).toContain('<work_time>1.5</work_time>\n<thetext>It&apos;s done</thetext>');
  });

  it('leave out data that does not fit, and say so, but not what is asked for', async () => {
    const made = await done('POST', '/rest/bug', BUG);
    const data = Buffer.alloc(1_000_000, 'x').toString('base64');
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push(...(await done('POST', `/rest/bug/${made.id}/attachment`, { ...FILE, data })).ids);
    }
    const path = `/rest/bugless/bug.xml?id=${made.id}`;
    const { status, text, headers } = await get(path, asUser(key));
    expect([status, text.match(/<data /g)?.length]).toEqual([200, 4]);
    expect(headers.get('x-bugless-left-out')).toBe(`attachmentdata ${ids[4]}`);
    expect(text).toContain('<!-- The data of this attachment is left out');
    const asked = await get(`${path}&field=attachment&field=attachmentdata`, asUser(key));
    expect(asked.status).toBe(400);
  });

  it.each([
    ['without a bug', '', []],
    ['of a name that is no alias', '?id=nosuch', ['<bug error="InvalidBugId">', '<bug_id>nosuch</bug_id>']],
    ['of an alias', '?id=%20one%20', ['<alias>one</alias>', '<reporter name="Ada Admin">admin</reporter>']],
  ])('are a document %s', async (_, query, contained) => {
    const { status, text } = await get(`/rest/bugless/bug.xml${query}`);
    expect([status, text.includes('<bugzilla version="5.2"')]).toEqual([200, true]);
    for (const part of contained) expect(text).toContain(part);
  });

  it('have a document type', async () => {
    const { status, headers, text } = await get('/page.cgi?id=bugzilla.dtd');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml-dtd; charset=UTF-8']);
    expect(text).toContain('<!ELEMENT bugzilla (bug*)>');
  });

  it.each([
    ['too many', `?id=${Array.from({ length: 101 }, (_, index) => index + 1).join(',')}`, 400],
    ['a key in the address', `?id=1&api_key=${key}`, 400],
  ])('are refused for %s', async (_, query, status) =>
    expect((await get(`/rest/bugless/bug.xml${query}`)).status).toBe(status),
  );
});

describe('the page of a bug', () => {
  const HOSTILE = '</title><script>alert(1)</script>{{main}} $& "x"';
  const page = async (id: number | string, headers: Record<string, string> = {}) => {
    const before = bugless.proxy.calls.length;
    const response = await get(`/show_bug.cgi?id=${id}`, headers);
    const calls = bugless.proxy.calls.slice(before).map(({ operation }) => operation);
    // The address as it was asked for stands in what the page reads next.
    const reads = /<meta name="reads"[^>]*>/;
    const shown = response.text.replace(reads, (meta) => meta.replaceAll(`/${id}`, '/ID'));
    return { ...response, calls, shown };
  };

  it('has title, state and description of a public bug without scripts', async () => {
    const summary = HOSTILE;
    const { body } = await bugless.call('POST', '/rest/bug', {
      ...{ key, body: { ...BUG, summary, alias: ['shown'], description: `A ${HOSTILE}\nline` } },
    });
    const { status, text, headers } = await page('shown');
    const escaped = '&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{main}} $&amp; &quot;x&quot;';
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(text).toContain(`<title>${body.id} – (shown) ${escaped}</title>`);
    expect(text).toContain(`<meta property="og:title" content="${body.id} – (shown) ${escaped}">`);
    expect(text).toContain(`<meta property="og:description" content="A ${escaped} line">`);
    expect(text).toContain(`<link rel="canonical" href="${bugless.url}/show_bug.cgi?id=${body.id}">`);
    expect(text).toContain(`<p>CONFIRMED, Alpha, UI</p><pre>A ${escaped}\nline</pre></main>`);
    expect(text).not.toContain('<script>alert');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'( 'sha256-[^']+')+;/);
    const again = await page('shown', { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('has nothing of a restricted bug, not even that it is there, whoever asks', async () => {
    const [restricted, missing, asAdmin] = [
      await page(hidden),
      await page(999_999),
      await page(hidden, asUser(key)),
    ];
    expect(restricted.shown).toBe(missing.shown);
    expect(restricted.calls).toEqual(missing.calls);
    expect([asAdmin.shown, asAdmin.calls]).toEqual([missing.shown, missing.calls]);
    await bugless.call('PUT', `/rest/bug/${hidden}`, { key, body: { alias: { set: ['secretly'] } } });
    const [byAlias, unknown] = [await page('secretly'), await page('nosuch')];
    expect([byAlias.shown, byAlias.calls]).toEqual([unknown.shown, unknown.calls]);
  });

  it('has no private description', async () => {
    const { body } = await bugless.call('POST', '/rest/bug', {
      ...{ key, body: { ...BUG, summary: 'Half', description: 'hush', comment_is_private: true } },
    });
    const { text } = await page(body.id);
    expect(text).toContain('– Half</title>');
    expect(text).not.toContain('hush');
    expect(text).toContain('og:description" content="CONFIRMED, Alpha, UI"');
  });

  it('of a list has a title', async () =>
    expect((await get('/buglist.cgi?product=Alpha')).text).toContain('<title>Bug list – Bugless</title>'));
});

describe('what programs read in pages', () => {
  it('activity is a table of what the caller sees', async () => {
    await bugless.call('PUT', `/rest/bug/${formula}`, { key, body: { cc: { add: ['plain@example.com'] } } });
    const { status, text, headers } = await get(`/show_activity.cgi?id=${formula}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(text).toMatch(
      /<td rowspan="1">admin<\/td><td rowspan="1">[\d -]+[\d:]+ UTC<\/td><td>CC<\/td><td>/,
    );
    expect(text).toContain('<td></td><td>plain</td>');
    const named = await get(`/show_activity.cgi?id=${formula}`, asUser(key));
    expect(named.text).toContain('<td></td><td>plain@example.com</td>');
    const change = { field_name: 'blocks', removed: '<img src=x onerror=alert(1)>', added: '12, 13' };
    const given = {
      ...aBug(900, { comments: [aComment('Text', { id: 900 })] }),
      component: BUG.component,
      version: BUG.version,
    };
    const history = [{ when: '2026-01-02T03:04:05Z', who: given.reporter, changes: [change] }];
    await applyCatalogue(
      bugless.table,
      parseNumbered({ users: [{ login: given.reporter }], bugs: [{ ...given, history }] }),
    );
    const hostile = await get('/show_activity.cgi?id=900');
    expect(hostile.text).toContain('<td>&lt;img src=x onerror=alert(1)&gt;</td>');
    expect(hostile.text).toContain('<a href="show_bug.cgi?id=13">13</a>');
    expect((await get(`/show_activity.cgi?id=${hidden}`)).status).toBe(401);
    expect((await get('/show_activity.cgi')).status).toBe(400);
  });

  it('the configuration is a script, or RDF, of selectable products', async () => {
    const script = await get('/config.cgi?product=Alpha&ctype=JS');
    expect(script.text).toMatch(/^var installation = \{ base_url: 'http:\\\/\\\/127/);
    expect(script.text.match(/^component\[.*$/gm)).toEqual([expect.stringMatching(/^component\['Alpha'\]/)]);
    expect(new Function(`${script.text}; return status_open.join()`)()).toBe(
      'UNCONFIRMED,CONFIRMED,IN_PROGRESS',
    );
    const rdf = await get('/config.cgi?ctype=rdf');
    expect(rdf.headers.get('content-type')).toBe('application/rdf+xml; charset=UTF-8');
    expect(rdf.text).not.toContain('DropBox');
    expect((await get('/config.cgi?ctype=rdf', asUser(key))).text).toContain('<bz:flag_types>');
    expect((await get('/config.cgi?ctype=rdf&flags=0')).text).not.toContain('<bz:flag_types>');
    expect((await get('/config.cgi?ctype=xul')).status).toBe(406);
  });
});

describe('a former interface', () => {
  it.each([
    ['/xmlrpc.cgi', 'text/xml; charset=UTF-8', '<name>faultCode</name><value><int>32614</int>'],
    ['/jsonrpc.cgi', 'application/json; charset=UTF-8', '"code":32614'],
  ])('%s answers in its protocol where REST is', async (path, type, part) => {
    const body = '<?xml version="1.0"?><methodCall><methodName>Bugzilla.version</methodName></methodCall>';
    const response = await bugless.fetch(path, { method: 'POST', body });
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(text).toContain(part);
    expect(text).toContain(`${bugless.url}/rest`);
    expect((await get(path)).status).toBe(404);
  });

  const xml = '<?xml version="1.0"?><methodCall><methodName>Bugzilla.version</methodName></methodCall>';
  const json = JSON.stringify({ method: 'Bug.get', params: [{ ids: [1] }], id: 1 });
  it.each([
    ['/', xml, 'text/xml', 'faultCode'],
    ['//', xml, 'text/xml', 'faultCode'],
    ['/rest', xml, 'application/xml', 'faultCode'],
    ['/rest/bug', xml, 'text/xml', 'faultCode'],
    ['/', json, 'application/json', '"code":32614'],
    ['/rest/', json, 'application/json-rpc', '"code":32614'],
    ['/rest/bug', json, 'application/json', '"code":32614'],
    ['/rest/bug/1/comment', `[${json}]`, 'application/json', '"code":32614'],
  ])('is told at %s, too', async (path, body, type, part) => {
    const response = await bugless.fetch(path, {
      ...{ method: 'POST', body, headers: { 'content-type': type } },
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringContaining(part)]);
    expect(text).toContain(`Here: ${bugless.url}/rest`);
  });

  it('is no text that shows a call', async () => {
    const body = JSON.stringify({ comment: json, is_private: false });
    const headers = { 'x-bugzilla-api-key': keys.admin };
    const response = await bugless.fetch(`/rest/bug/1/comment`, { method: 'POST', headers, body });
    expect(response.status).toBe(201);
  });
});

it.each(['/rest/bug/1?callback=f', '/rest/version?callback=f', '/rest.cgi/bug?id=1&callback=f'])(
  'JSONP is refused in words: %s',
  async (path) => {
    const response = await get(path);
    expect([response.status, JSON.parse(response.text)]).toEqual([
      400,
      expect.objectContaining({ error: true, code: 32611, message: expect.stringContaining('callback') }),
    ]);
  },
);

it('config.cgi names what to leave out where it would be too large for a response', async () => {
  const wide = (name: string) => ({
    ...{ name, components: [{ name: 'UI' }] },
    versions: Array.from({ length: 3_400 }, (_, n) => ({ name: `${n}` })),
  });
  await applyCatalogue(bugless.table, parseNumbered({ products: ['W1', 'W2', 'W3'].map(wide) }));
  for (const path of ['/config.cgi', '/config.cgi?ctype=rdf&flags=0']) {
    const { status, text } = await get(path);
    expect([status, JSON.parse(text).message]).toEqual([400, expect.stringMatching(/'product'.*'flags=0'/)]);
  }
  expect((await get('/config.cgi?product=W1')).status).toBe(200);
});

describe('an address of a page that a browser opens', () => {
  const headers = { accept: 'text/html,application/xhtml+xml' };
  const open = (path: string) => bugless.fetch(path, { headers, redirect: 'manual' });

  it.each([
    ['/attachment.cgi?id=99999', 400],
    ['/attachment.cgi?id=%3Cscript%3E', 400],
    ['/buglist.cgi?ctype=ics', 406],
  ])('says what is wrong as a page with a way on: %s', async (path, status) => {
    const response = await open(path);
    const page = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=UTF-8',
    ]);
    expect(page).toContain('query.cgi');
    expect(page).not.toContain('<script');
    expect(page).not.toContain('"error":true');
  });

  it.each(['enter', 'viewall'])('leads to the bug where its attachments have pages: %s', async (action) => {
    const response = await open(`/attachment.cgi?bugid=1&action=${action}`);
    expect([response.status, response.headers.get('location')]).toEqual([307, 'show_bug.cgi?id=1']);
  });

  it.each(['a b', 'x/y', 'x@y'])(
    'is JSON where the header Host %j is none, which links need',
    async (host) => {
      const request = { method: 'GET', target: '/attachment.cgi?id=99999', body: undefined };
      const reply = await bugless.send({ ...request, headers: { ...headers, host } });
      expect([reply.status, JSON.parse(reply.body.toString()).error]).toEqual([400, true]);
    },
  );

  it('is JSON for programs', async () => {
    const response = await bugless.fetch('/attachment.cgi?id=99999', { headers: { accept: '*/*' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/json; charset=UTF-8',
    ]);
  });
});
