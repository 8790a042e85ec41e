import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Invocation } from './environment.ts';

const run = promisify(execFile);

/** CPU of a new process in milliseconds, without the start of Node. */
export interface ColdStart {
  imported: number;
  /** the import and the first request */
  responded: number;
}

const SCRIPT = `const [file, event, context] = process.argv.slice(1);
const before = process.cpuUsage();
const milliseconds = () => { const { user, system } = process.cpuUsage(before); return (user + system) / 1_000; };
const { handler } = await import(file);
const imported = milliseconds();
const { statusCode, body } = await handler(JSON.parse(event), JSON.parse(context));
if (statusCode >= 300) throw new Error(body);
console.log(JSON.stringify({ imported, responded: milliseconds() }));
process.exit(0);`;

/** Imports a bundle in a new process, which answers one request. */
export async function coldStart(
  file: string,
  { event, context }: Pick<Invocation, 'event' | 'context'>,
): Promise<ColdStart> {
  const given = [file, JSON.stringify(event), JSON.stringify(context)];
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SCRIPT, ...given], {
    env: { ...process.env, REQUEST_LOG: 'off' },
  });
  return JSON.parse(stdout);
}

/** The lower quartile: what other processes take from the machine is seldom in it. */
export const quartile = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;
