import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../base/text.ts';
import { type CustomField, customField, customKind, FIRST_CUSTOM_ID } from '../bugs/fields/custom-field.ts';
import type { CustomKind } from '../bugs/fields/kinds.ts';
import { keywordItem } from '../bugs/schema.ts';
import {
  type BugSettings,
  bugSettingsRepository,
  type SettingsWrite,
} from '../bugs/store/settings-repository.ts';
import { CHOICE_FIELDS, legalValues } from '../bugs/values.ts';
import {
  DEFAULT_STATUSES,
  type StatusRow,
  UNCONFIRMED,
  type Workflow,
  workflowOf,
} from '../bugs/workflow.ts';
import { classificationRepository } from '../products/classification-repository.ts';
import { productRepository } from '../products/repository.ts';
import { classificationItem } from '../products/schema.ts';
import { bugsOf } from '../search/index/view.ts';
import { refuseOlder } from '../table/change-format.ts';
import { retryStale } from '../table/retry.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { catalogueError, namesOf, type PlanContext, type PlanOfKind, putChanged } from './plan.ts';
import type { Catalogue, Problem } from './schema.ts';

/** Adds and changes classifications. */
export function planClassifications({ table, catalogue, counter }: PlanContext): PlanOfKind {
  const { classificationItem: read } = productRepository(table);
  const classifications = classificationRepository(table);
  return {
    problems: [],
    async execute() {
      for (const given of catalogue.classifications) {
        const outcome = await retryStale('the classification', async () => {
          const existing = await read(given.name);
          const id = existing?.id || given.id || (await classifications.allocateId(given.name));
          const fields = mergeFields(DEFAULTS.classification, existing, given);
          const desired = classificationItem.parse({ ...fields, id });
          return putChanged(existing, desired, (next) => classifications.put(existing, next));
        });
        counter.count('classifications', outcome);
      }
    },
  };
}

/** The first version that knows other statuses than Bugzilla's default ones: of those before it none runs beside this one. */
const WORKFLOW_VERSION = '1.2.0';

/** Sets the legal values of bug fields that a catalogue has, and adds or changes custom fields and keywords. */
export async function planBugSettings({ table, catalogue, digest, index, isWhole }: PlanContext) {
  const { field_values, bug_fields, keywords } = catalogue;
  const { bug_status: rows, ...lists } = field_values;
  const settings = bugSettingsRepository(table);
  const names = keywords.map(({ name }) => name);
  const [known, stored] = await Promise.all([
    settings.keywordsByName([...names, ...digest.keywords]),
    settings.read(),
  ]);
  // The bugs of a whole catalogue have its statuses.
  const readUsed = async () => (rows === undefined || isWhole ? [] : usedStates(index));
  const used = await readUsed();
  let latest = stored;
  /** Reads them again: somebody has changed them since. */
  const readSettingsAgain = async () => {
    latest = await settings.read();
  };
  const types = new Map([...bug_fields, ...stored.custom].map(({ name, type }) => [name, type]));

  const problemsWith = (current: BugSettings, states: readonly UsedState[]): Problem[] => [
    ...(isWhole ? [] : fieldProblems(current.custom, bug_fields)),
    ...(rows === undefined ? [] : workflowProblems(rows, current.workflow, states)),
  ];

  function requireNone(problems: Problem[]): void {
    if (problems.length > 0) throw catalogueError(problems);
  }

  /** Writes the lists of the catalogue that differ, but for the statuses. */
  async function writeLists(): Promise<void> {
    const current = await settings.read();
    if (!isWhole) requireNone(fieldProblems(current.custom, bug_fields));
    const custom_fields = mergedCustomFields(isWhole ? [] : current.custom, bug_fields);
    const desired: SettingsWrite = { ...legalValues.parse({ ...current.legal, ...lists }), custom_fields };
    const given: (keyof SettingsWrite)[] = CHOICE_FIELDS.filter((name) => lists[name] !== undefined);
    if (isWhole || bug_fields.length > 0) given.push('custom_fields');
    const before: SettingsWrite = { ...current.legal, custom_fields: current.custom };
    const differing = given.filter((name) => !isDeepStrictEqual(desired[name], before[name]));
    if (differing.length === 0) return;
    await settings.put(current, Object.fromEntries(differing.map((name) => [name, desired[name]])));
  }

  /**
   * Writes the statuses. What goes, or becomes open or closed, is inactive first: a request that read it active is refused then, so
   * that those which bugs have can be looked up once and for all.
   */
  async function writeStatuses(): Promise<void> {
    const current = await settings.read();
    requireNone(problemsWith(current, used));
    const desired = storedStatuses(rows, current.legal.bug_status);
    const { bug_status: before } = current.legal;
    if (desired === undefined || isDeepStrictEqual(desired, before)) return;
    const put = async (from: BugSettings, statuses: readonly StatusRow[]) => {
      await settings.put(from, { bug_status: [...statuses] });
    };
    if (before === undefined) await refuseOlder(table, WORKFLOW_VERSION);
    const next = workflowOf(desired);
    const leaving = current.workflow.statuses
      .filter(({ name, is_open }) => !next.names.includes(name) || next.isOpen(name) !== is_open)
      .map((row) => ({ ...row, is_active: false, can_change_to: [] }));
    if (leaving.length > 0) {
      const gone = new Set(leaving.map(({ name }) => name));
      await put(current, [...desired.filter(({ name }) => !gone.has(name)), ...leaving]);
    }
    const inactive = leaving.length > 0 ? await settings.read() : current;
    const problems = problemsWith(current, await readUsed());
    if (problems.length > 0) await put(inactive, before ?? DEFAULT_STATUSES);
    requireNone(problems);
    await put(inactive, desired);
  }

  return {
    problems: problemsWith(stored, used),
    /** as they were read when those of the catalogue were written, or since */
    settings: () => latest,
    readSettingsAgain,
    keywordNames: namesOf([...names, ...known.keys()]),
    /** The kind of the custom field with a name; undefined: neither the catalogue nor the table has one. */
    customKindOf(name: string): CustomKind | undefined {
      const type = types.get(name);
      return type === undefined ? undefined : customKind(type);
    },
    async execute() {
      if (isWhole || Object.keys(lists).length + bug_fields.length > 0)
        await retryStale('the settings', writeLists);
      if (rows !== undefined) await retryStale('the settings', writeStatuses);
      await readSettingsAgain();
      for (const { name, description } of keywords) {
        await retryStale('the settings', async () => {
          const existing = (await settings.keywordsByName([name])).get(normalizeName(name));
          const keyword = keywordItem.parse(mergeFields(DEFAULTS.keyword, existing, { name, description }));
          await putChanged(existing, keyword, (next) => settings.putKeyword(existing, next));
        });
      }
    },
  };
}

/** The statuses to store; undefined: Bugzilla's default ones, of which nothing is stored. */
const storedStatuses = (
  given: readonly StatusRow[] | undefined,
  stored: readonly StatusRow[] | undefined,
): readonly StatusRow[] | undefined =>
  stored === undefined && isDeepStrictEqual(given?.map(byName), DEFAULT_STATUSES.map(byName))
    ? undefined
    : (given ?? stored);

/** A status with what follows it in an order of its own, to compare it. */
const byName = (status: StatusRow): StatusRow => ({
  ...status,
  can_change_to: status.can_change_to.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
});

/** The statuses that bugs of the table have, with whether they have a resolution. */
async function usedStates(index: PlanContext['index']): Promise<UsedState[]> {
  const states = new Map<string, UsedState>();
  for (const { value } of bugsOf(await index.read(() => true))) {
    const state = { status: String(value('status')), isResolved: value('resolution') !== '' };
    states.set(JSON.stringify(state), state);
  }
  return [...states.values()];
}

/**
 * Conflicts of custom fields with the table: another type, which stored values have, another id, or an id that another
 * field has.
 */
const fieldProblems = (existing: readonly CustomField[], given: Catalogue['bug_fields']): Problem[] =>
  given.flatMap((field, index) =>
    existing.flatMap(({ id, name, type }): Problem[] => {
      const problem = (field: string, message: string) => [{ path: ['bug_fields', index, field], message }];
      if (name === field.name && type !== field.type) {
        return problem('type', `the field '${name}' has the type ${type}, not ${field.type}`);
      }
      if (field.id === undefined || (name === field.name) === (id === field.id)) return [];
      return problem('id', `the field '${name}' has the id ${id}`);
    }),
  );

/** The custom fields of the table with those of a catalogue, ordered; what the catalogue does not give stays. */
function mergedCustomFields(existing: readonly CustomField[], given: Catalogue['bug_fields']): CustomField[] {
  const byName = new Map(existing.map((field) => [field.name, field]));
  const ids = [...existing, ...given].map(({ id = 0 }) => id);
  let next = Math.max(FIRST_CUSTOM_ID - 1, ...ids) + 1;
  for (const field of given) {
    const known = byName.get(field.name);
    const defaults = { ...DEFAULTS.bugField, id: known?.id ?? field.id ?? next++, display_name: field.name };
    const { values, ...merged } = customField.parse(mergeFields(defaults, known, field));
    byName.set(field.name, { ...merged, values: values.toSorted((a, b) => a.sort_key - b.sort_key) });
  }
  return [...byName.values()].sort((a, b) => a.sort_key - b.sort_key || a.id - b.id);
}

/** A status that bugs of the table have, and whether these have a resolution. */
interface UsedState {
  status: string;
  isResolved: boolean;
}

/**
 * Why bugs could not have these statuses: one of them has to be open, one closed; new bugs are open; what follows a status
 * exists; no status is missing that bugs have, or becomes open or closed: open bugs have no resolution, closed ones have one.
 *
 * @param current the statuses of the table
 */
function workflowProblems(
  rows: readonly StatusRow[],
  current: Workflow,
  used: readonly UsedState[],
): Problem[] {
  const { names, open, closed, initial, isOpen } = workflowOf(rows);
  const known = new Set(names);
  const problem = (message: string, ...path: PropertyKey[]): Problem => ({
    path: ['field_values', 'bug_status', ...path],
    message,
  });
  const transitions = rows.flatMap(({ name, can_change_to }, at) =>
    can_change_to.flatMap((to, index): Problem[] => {
      const path = [at, 'can_change_to', index, 'name'];
      if (!known.has(to.name)) return [problem(`there is no status '${to.name}'`, ...path)];
      if (name !== '' || isOpen(to.name)) return [];
      return [problem(`new bugs are open: not '${to.name}'`, ...path)];
    }),
  );
  const broken: [isSo: boolean, message: string][] = [
    [open.length === 0, 'one status has to be open'],
    [closed.length === 0, 'one status has to be closed'],
    [closed.includes(UNCONFIRMED), `'${UNCONFIRMED}' has to be open`],
    [
      // Products may have no unconfirmed bugs.
      initial.every(({ name }) => name === UNCONFIRMED),
      `the status '' has to name an active one beside ${UNCONFIRMED}, for new bugs`,
    ],
  ];
  const missing = new Set(used.flatMap(({ status }) => (known.has(status) ? [] : [status])));
  const turned = used.filter(({ status, isResolved }) => {
    const isKept = current.names.includes(status) && current.isOpen(status) === isOpen(status);
    return known.has(status) && isOpen(status) === isResolved && !isKept;
  });
  return [
    ...transitions,
    ...broken.flatMap(([isSo, message]) => (isSo ? [problem(message)] : [])),
    ...[...missing].map((status) => problem(`bugs have the status '${status}', which is missing`)),
    ...turned.map(({ status, isResolved }) => {
      const [has, becomes] = isResolved ? ['with', 'open'] : ['without', 'closed'];
      return problem(`bugs have the status '${status}' ${has} a resolution: it cannot be ${becomes}`);
    }),
  ];
}
