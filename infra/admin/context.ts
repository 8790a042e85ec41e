import { openTable, type Table } from '../../lib/db/client.ts';
import { readSettings, type Settings } from '../../lib/settings.ts';
import { LOCAL_CREDENTIALS } from '../local/dynamodb-local.ts';

/** What a command works with. */
export interface Context {
  table: Table;
  settings: Settings;
  /** write for machines */
  isJson: boolean;
}

/**
 * Opens the table that the environment names.
 *
 * @throws Error naming each setting that is missing or wrong
 */
export function openContext(environment: NodeJS.ProcessEnv, isJson: boolean): Context {
  const endpoint = environment['DYNAMODB_ENDPOINT'];
  if (endpoint && !environment['AWS_ACCESS_KEY_ID'] && !environment['AWS_PROFILE']) {
    Object.assign(environment, LOCAL_CREDENTIALS);
  }
  const settings = readSettings({
    ...environment,
    ...(endpoint ? { TABLE_NAME: environment['TABLE_NAME'] || 'bugless' } : {}),
  });
  return { table: openTable(settings.TABLE_NAME, settings.DYNAMODB_ENDPOINT), settings, isJson };
}

/** Shows a result: as JSON for machines, else in lines for people. */
export function show({ isJson }: Context, result: unknown, lines: string[]): void {
  console.log(isJson ? JSON.stringify(result) : lines.join('\n'));
}
