import { differences } from '../../base/collections.ts';
import { checkName, MAX_NAME_LENGTH } from '../../base/names.ts';
import { limitedText, normalizeName, trim } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { auditAction } from '../../people/audit/repository.ts';
import type { Table } from '../../table/client.ts';
import { idempotencyActions, type RecordFor } from '../../table/idempotency.ts';
import { retryStale } from '../../table/retry.ts';
import type { KeywordItem } from '../schema.ts';
import { bugSettingsRepository } from '../store/settings-repository.ts';

/** All are read together, in one response. */
const MAX_KEYWORDS = 2_000;
const MAX_KEYWORD_DESCRIPTION_LENGTH = 1_000;
/** What separates keywords in texts. */
const SEPARATOR = /[\s,]/;

const NO_KEYWORD = { name: '', description: '' };

/**
 * Creates a keyword.
 *
 * @param who login of the caller, for the audit log
 */
export async function createKeyword(
  table: Table,
  who: string,
  given: KeywordItem,
  recordFor: RecordFor,
): Promise<void> {
  const keyword = { name: checkKeywordName(given.name), description: checkDescription(given.description) };
  const settings = bugSettingsRepository(table);
  const audit = auditOf(who, 'rest add keyword', NO_KEYWORD, keyword);
  await retryStale('the keyword', async () => {
    const all = await settings.keywords();
    if (all.some(({ name }) => normalizeName(name) === normalizeName(keyword.name))) {
      throw errors.keywordTaken(keyword.name);
    }
    if (all.length >= MAX_KEYWORDS) throw errors.requestTooLarge(`at most ${MAX_KEYWORDS} keywords`);
    const recorded = idempotencyActions(recordFor(0), table.now());
    await settings.putKeyword(undefined, keyword, [...recorded, auditAction(table, audit)]);
  });
}

/**
 * Changes the description of a keyword. Its name stays: it stands in bugs.
 *
 * @param who login of the caller, for the audit log
 */
export async function changeKeyword(
  table: Table,
  who: string,
  given: { name: string; description?: string | undefined },
): Promise<KeywordItem> {
  const description = given.description === undefined ? undefined : checkDescription(given.description);
  const settings = bugSettingsRepository(table);
  return retryStale('the keyword', async () => {
    const name = normalizeName(trim(given.name));
    const before = (await settings.keywordsByName([name])).get(name);
    if (before === undefined) throw errors.valueUnknown('keyword', given.name);
    if (description === undefined || description === before.description) return before;
    const keyword = { ...before, description };
    const audit = auditOf(who, 'rest change keyword', before, keyword);
    await settings.putKeyword(before, keyword, [auditAction(table, audit)]);
    return keyword;
  });
}

const auditOf = (who: string, command: string, before: KeywordItem, after: KeywordItem) => ({
  who,
  command,
  changes: [{ kind: 'keyword', name: after.name, fields: differences({ ...before }, { ...after }) }],
});

function checkKeywordName(given: string): string {
  const name = checkName('name', given, MAX_NAME_LENGTH, { blank: () => errors.parameterMissing('name') });
  if (SEPARATOR.test(name)) throw errors.parameterInvalid('name', 'it must not have white space or commas');
  return name;
}

function checkDescription(given: string): string {
  const description = trim(given);
  if (description === '') throw errors.parameterMissing('description');
  return limitedText('description', description, MAX_KEYWORD_DESCRIPTION_LENGTH);
}
