import { join } from 'node:path';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import type { Report } from '../../lib/catalogue/summary.ts';
import { userRepository } from '../../lib/people/repository.ts';
import { readSettings } from '../../lib/settings.ts';
import type { Database } from './database/database.ts';
import type { Options } from './options.ts';

const DEMO = join(import.meta.dirname, 'demo-catalogue.json');

/** A user with a valid API key. */
export interface KeyHolder {
  login: string;
  key: string;
  groups: readonly string[];
}

/**
 * Reads the catalogue to load: that of `--catalog`, or the demo.
 *
 * @returns undefined with `--empty`
 * @throws CatalogueError with the JSON path of each invalid value
 */
export async function readData(
  options: Pick<Options, 'catalog' | 'empty'>,
): Promise<CatalogueSource | undefined> {
  return options.empty ? undefined : readCatalogueFile(options.catalog ?? DEMO);
}

/**
 * Loads the catalogue of `--catalog`, or the demo into a new table. The demo is not loaded into an existing table.
 *
 * @param report receives the progress, about once a second
 * @throws CatalogueError when the catalogue contradicts the table
 */
export async function loadData(
  { table, isNew }: Database,
  catalogue: CatalogueSource,
  { catalog: given }: Pick<Options, 'catalog'>,
  report: (line: string) => void,
): Promise<void> {
  if (given === undefined && !isNew) return;
  let reported = Date.now();
  const progress: Report = ({ kind, done, total }) => {
    if (Date.now() - reported < REPORT_INTERVAL_MS) return;
    reported = Date.now();
    report(`Loading ${kind}: ${done} of ${total}`);
  };
  const { DEFAULT_MILESTONE } = readSettings({ ...process.env, TABLE_NAME: table.name });
  await applyCatalogue(table, catalogue, { report: progress, placeholder: DEFAULT_MILESTONE });
}

const REPORT_INTERVAL_MS = 1_000;
const MAX_KEY_HOLDERS = 8;

/** The users of a catalogue whose API keys are valid in the table, at most 8. */
export async function keyHolders({ table }: Database, { users }: CatalogueSource): Promise<KeyHolder[]> {
  const store = userRepository(table, table.now);
  const given = users.flatMap(({ login, groups = [], api_keys }) =>
    api_keys.flatMap(({ key }) => (key === undefined ? [] : [{ login, key, groups }])),
  );
  const holders: KeyHolder[] = [];
  for (const holder of given) {
    if (holders.length === MAX_KEY_HOLDERS) break;
    const works = await store.byApiKey(holder.key).then(
      () => true,
      () => false,
    );
    if (works) holders.push(holder);
  }
  return holders;
}
