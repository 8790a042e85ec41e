import type { Command } from 'commander';

/** Options whose values are secrets. */
const SECRETS: ReadonlySet<string> = new Set(['key']);
/** What stands for a secret. */
const HIDDEN = '…';
/** In characters: a command may have any number of arguments. */
const MAX_COMMAND_LENGTH = 1_000;

/**
 * The names of a command, its arguments and the options that were given, as JSON where they have blanks; without secrets.
 *
 * @returns at most 1,000 characters: `user add ann@example.org --group editbugs`
 */
export function describeCommand(command: Command): string {
  const options = Object.entries(command.opts()).flatMap(([name, value]) => {
    if (command.getOptionValueSource(name) !== 'cli') return [];
    if (SECRETS.has(name)) return [flagOf(name), HIDDEN];
    if (typeof value === 'boolean') return [flagOf(value ? name : `no-${name}`)];
    return [value].flat().flatMap((one) => [flagOf(name), shown(String(one))]);
  });
  const [first, last] = [[...namesOf(command), ...command.args.map(shown)].join(' '), options.join(' ')];
  // Options say why: they are not cut for arguments, of which there may be hundreds.
  const room = MAX_COMMAND_LENGTH - Math.min(last.length, MAX_COMMAND_LENGTH / 2) - 1;
  return cut(last === '' ? first : `${cut(first, room)} ${last}`, MAX_COMMAND_LENGTH);
}

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The names of a command and those above it, but for the program. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

function shown(argument: string): string {
  const text = withoutCredentials(argument);
  return /^[^\s"'\\]+$/.test(text) ? text : JSON.stringify(text);
}

/** A URL without a password and parameters, which may be API keys. */
function withoutCredentials(text: string): string {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null;
  return url === null ? text : `${url.protocol}//${url.host}${url.pathname}`;
}
