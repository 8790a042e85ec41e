import * as z from 'zod';
import type { ImportSettings } from './settings.ts';

/**
 * What a run has seen of the settings of a Bugzilla, beside the settings in the file of the import: by it the next run tells what was
 * renamed or deleted there from what is of this side. A field that is absent was not noted by the version that wrote the file.
 */
export const lastRun = z.object({
  products: z
    .array(
      z.object({
        id: z.int(),
        name: z.string(),
        /** the controls of groups that were inferred and that the operator has not changed */
        inferred: z.record(z.string(), z.string()).default({}),
        /** ids of parts */
        components: z.array(z.int()).default([]),
        versions: z.array(z.int()).default([]),
        milestones: z.array(z.int()).default([]),
        flag_types: z.array(z.int()).default([]),
      }),
    )
    .default([]),
  /** names of groups, by their ids there */
  groups: z.record(z.string(), z.string()).default({}),
  keywords: z.array(z.string()).default([]),
  /** names of custom fields */
  fields: z.array(z.string()).default([]),
});
export type LastRun = z.output<typeof lastRun>;

export const NO_RUN: LastRun = lastRun.parse({});

/** What the next run compares with: products that this run has not read stay as they were. */
export const nextRun = (before: LastRun, now: LastRun): LastRun => {
  const read = new Set(now.products.map(({ id }) => id));
  return {
    products: [...before.products.filter(({ id }) => !read.has(id)), ...now.products],
    groups: { ...before.groups, ...now.groups },
    keywords: now.keywords,
    fields: now.fields,
  };
};

const idsOf = (parts: readonly { id?: number | undefined }[]): number[] =>
  parts.flatMap(({ id }) => id ?? []);

/**
 * What a run has seen.
 *
 * @param groups names by ids
 * @param inferred controls by groups, of products by their ids
 */
export const seenIn = (
  { products, keywords, bug_fields }: Pick<ImportSettings, 'products' | 'keywords' | 'bug_fields'>,
  groups: ReadonlyMap<number, string>,
  inferred: ReadonlyMap<number, Record<string, string>>,
): LastRun => ({
  products: products.map(({ id = 0, name, components, versions, milestones, flag_types }) => ({
    ...{ id, name, inferred: inferred.get(id) ?? {} },
    ...{ components: idsOf(components), versions: idsOf(versions) },
    ...{ milestones: idsOf(milestones), flag_types: idsOf(flag_types) },
  })),
  groups: Object.fromEntries(groups),
  keywords: keywords.map(({ name }) => name),
  fields: bug_fields.map(({ name }) => name),
});
