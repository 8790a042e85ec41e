import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { jsonOf } from '../../lib/base/json.ts';
import { UsageError } from '../admin/context.ts';

/** What a Bugzilla is set to, by the names of its parameters. */
export type Params = ReadonlyMap<string, string>;

/** Those without which it is not known who may see what. */
const REQUIRED = ['insidergroup', 'timetrackinggroup', 'comment_taggers_group', 'requirelogin'] as const;

const json = z.record(z.string(), z.unknown());
/** An entry of the file of 4.4, which is a Perl hash: it is read, never run. */
const PERL_ENTRY = /'((?:[^'\\]|\\.)+)'\s*=>\s*(?:'((?:[^'\\]|\\.)*)'|(-?[\d.]+)|undef)/gs;

/**
 * Reads the parameters of a Bugzilla.
 *
 * @param file `params.json`, or the `params` of 4.4; undefined: there is none
 * @param given `NAME=VALUE`, which take precedence
 * @throws UsageError where one is missing that decides who may see what
 */
export async function readParams(file: string | undefined, given: readonly string[]): Promise<Params> {
  const params = new Map(file === undefined ? [] : parse(file, await readText(file)));
  for (const one of given) {
    const [name = '', ...value] = one.split('=');
    params.set(name.trim(), value.join('=').trim());
  }
  const missing = REQUIRED.filter((name) => !params.has(name));
  if (missing.length === 0) return params;
  throw new UsageError(
    `It is not known who may see what: give Bugzilla's parameters with --params FILE, or ${missing.map((name) => `--param ${name}=…`).join(' ')}`,
  );
}

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });

function parse(file: string, text: string): [string, string][] {
  if (/^\s*\{/.test(text)) {
    const parsed = json.safeParse(jsonOf(text));
    if (parsed.success) {
      return Object.entries(parsed.data).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join() : String(value ?? ''),
      ]);
    }
  }
  const entries = [...text.matchAll(PERL_ENTRY)].map(([, name = '', quoted, number]): [string, string] => [
    unquoted(name),
    number ?? unquoted(quoted ?? ''),
  ]);
  if (entries.length > 0) return entries;
  throw new UsageError(`${file} has no parameters of a Bugzilla`);
}

const unquoted = (text: string): string => text.replaceAll(/\\([\\'])/g, '$1');

/** Whether a parameter is on. */
export const isOn = (params: Params, name: string): boolean => !['', '0'].includes(params.get(name) ?? '');
