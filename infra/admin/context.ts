import { openTable, type Table } from '../../lib/dynamodb/client.ts';
import { readSettings, type Settings } from '../../lib/settings.ts';
import { LOCAL_CREDENTIALS } from '../local/database/dynamodb-local.ts';

/** What a command works with. Not every one needs the table: it is opened when it is first asked for. */
export interface Context {
  /** @throws Error naming each setting that is missing or wrong */
  readonly table: Table;
  /** @throws Error naming each setting that is missing or wrong */
  readonly settings: Settings;
  /** write for machines */
  isJson: boolean;
}

/** The context of a command; the table is the one that the environment names. */
export function openContext(environment: NodeJS.ProcessEnv, isJson: boolean): Context {
  let opened: Pick<Context, 'table' | 'settings'> | undefined;
  const open = () => {
    opened ??= openTableOf(environment);
    return opened;
  };
  return {
    get table() {
      return open().table;
    },
    get settings() {
      return open().settings;
    },
    isJson,
  };
}

function openTableOf(environment: NodeJS.ProcessEnv): Pick<Context, 'table' | 'settings'> {
  const endpoint = environment['DYNAMODB_ENDPOINT'];
  if (endpoint && !environment['AWS_ACCESS_KEY_ID'] && !environment['AWS_PROFILE']) {
    Object.assign(environment, LOCAL_CREDENTIALS);
  }
  const settings = readSettings({
    ...environment,
    ...(endpoint ? { TABLE_NAME: environment['TABLE_NAME'] || 'bugless' } : {}),
  });
  return { table: openTable(settings.TABLE_NAME, settings.DYNAMODB_ENDPOINT), settings };
}

/** Shows a result: as JSON for machines, else in lines for people. */
export function show({ isJson }: Context, result: unknown, lines: string[]): void {
  console.log(isJson ? JSON.stringify(result) : lines.join('\n'));
}
