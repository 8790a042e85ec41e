import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording, RECORDED_SETTINGS } from '../support/recordings.ts';

/** A response of a Bugzilla 5.2 with the data of `extras-catalog.json`, its text perhaps cut off. */
interface Recorded {
  as: string;
  request: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What Bugless responds otherwise on purpose. */
interface Difference {
  lines: number[];
  why: string;
  /** what it responds instead; absent: it is compared without what `without` finds */
  status?: number;
  contains?: string[];
  /** regular expression of what is left out of both texts */
  without?: string;
  /** regular expression of what is between parts that have no particular order */
  unordered?: string;
}

const FOLDER = join(import.meta.dirname, '../reference');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8').trim();
const recorded: Recorded[] = read('formats.jsonl')
  .split('\n')
  .map((line) => JSON.parse(line));
const differences: Difference[] = JSON.parse(read('formats.json'));

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() =>
  startBuglessWithPermissions(catalogue(), { ...RECORDED_SETTINGS, MAINTAINER: 'admin@example.com' }),
);

/** The recorder cut texts at these lengths. */
const CUT = new Set([29, 512, 6_000]);
const BASE = 'https://bugs.example.org/';
const ESCAPED = (address: string) => address.replaceAll('/', '\\/');
const DAY = /\d{4}-\d\d-\d\d(?=\.(csv|atom))/;

/** The ids that a text of JSON has, also one that was cut off, or the code of its error: texts of errors are our own. */
function idsIn(json: string): string {
  const [, code] = /"code" ?: ?(\d+)/.exec(json) ?? [];
  if (code !== undefined) return `error ${code}`;
  const all = [...json.matchAll(/"id" ?: ?(\d+)\}/g)].map(([, id]) => id);
  return all.map((id) => `${id},`).join('');
}

/** A text without what means nothing in its format: white space, mostly. */
function comparable(text: string, type: string): string {
  if (type.includes('json')) return idsIn(text);
  if (type.includes('javascript')) {
    return text
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .replaceAll(/\/\/.*$/gm, '')
      .replaceAll(/\s+/g, '')
      .replaceAll(/,(?=[\]}])/g, '')
      .replaceAll('http:', 'https:');
  }
  if (!/xml|html/.test(type)) return text;
  // Of pages only these were recorded.
  const find = (pattern: RegExp) => (type.includes('html') ? pattern.exec(text)?.[0] : undefined);
  const part = find(/<table id="bug_activity">.*<\/table>/s) ?? find(/<title>.*?<\/title>/s) ?? text;
  return part
    .replaceAll('&ndash;', '–')
    .replaceAll('&#64;', '@')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?(<|>|\/>) ?/g, '$1')
    .replaceAll('&#34;', '&quot;');
}

async function responseTo(as: string, request: string) {
  const path = request.replace('GET ', '');
  // Bugzilla's pages take no key, so that these were anonymous.
  const key = path.startsWith('/rest/') ? keys.get(as) : undefined;
  const headers: Record<string, string> = key === undefined ? {} : { 'x-bugzilla-api-key': key };
  const response = await bugless.fetch(path, { headers });
  return {
    response,
    text: (await response.text())
      .replaceAll(`${bugless.url}/`, BASE)
      .replaceAll(ESCAPED(`${bugless.url}/`), ESCAPED(BASE)),
  };
}

describe('recorded formats', () => {
  const named = (line: number) => differences.filter(({ lines }) => lines.includes(line));

  for (const [line, { as, request, status, headers, body }] of recorded.entries()) {
    it(`${line}, as ${as}: ${request}`, async () => {
      const { response, text } = await responseTo(as, request);
      const own = named(line);
      const [{ status: other, contains = [] } = {}] = own;
      if (other !== undefined) {
        expect(response.status, text).toBe(other);
        for (const part of contains) expect(text).toContain(part);
        return;
      }
      const type = headers['content-type'] ?? '';
      const without = (one: string) =>
        own.reduce(
          (left, { without: found, unordered }) => {
            const rest = found === undefined ? left : left.replaceAll(new RegExp(found, 'g'), '');
            return unordered === undefined ? rest : rest.split(new RegExp(unordered)).sort().join('\n');
          },
          comparable(one, type),
        );
      const expected = without(body);
      const isCut = CUT.has(body.length);
      const given = without(text);
      expect(isCut ? given.slice(0, expected.length) : given).toBe(expected);
      expect(response.status).toBe(status);
      if (own.length > 0) return;
      expect(response.headers.get('content-type')?.toLowerCase()).toBe(type.toLowerCase());
      const disposition = response.headers.get('content-disposition') ?? undefined;
      expect(disposition?.replace(DAY, 'DAY')).toBe(headers['content-disposition']?.replace(DAY, 'DAY'));
    });
  }

  it('differ for a reason only', () =>
    expect(differences.flatMap(({ lines }) => lines).filter((line) => line >= recorded.length)).toEqual([]));
});
