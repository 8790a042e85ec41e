import { UsageError } from './usage.ts';

/** What every command takes, wherever it stands. */
export interface CommonOptions {
  isJson: boolean;
  /** CloudFormation's name of the stack whose table is meant */
  stack: string | undefined;
  region: string | undefined;
  /** what is left for the command itself */
  args: string[];
}

/**
 * Takes `--json`, `--stack NAME` and `--region NAME` out of the arguments.
 *
 * @throws UsageError when a name is missing
 */
export function readCommonOptions(given: string[]): CommonOptions {
  const named = new Map<string, string>();
  const args: string[] = [];
  let isJson = false;
  const left = given.values();
  for (const arg of left) {
    const [, option, inline] = /^--(stack|region)(?:=(.*))?$/s.exec(arg) ?? [];
    if (option !== undefined) {
      const name = inline ?? left.next().value ?? '';
      if (name === '' || name.startsWith('--')) throw new UsageError(`--${option} takes a name`);
      named.set(option, name);
    } else if (arg === '--json') {
      isJson = true;
    } else {
      args.push(arg);
    }
  }
  return { isJson, stack: named.get('stack'), region: named.get('region'), args };
}
