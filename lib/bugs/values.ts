import * as z from 'zod/mini';
import { statusRow } from './workflow.ts';

/** The fields of a bug that take one of a list of values, which a deployment sets. */
export const CHOICE_FIELDS = ['priority', 'severity', 'platform', 'op_sys', 'resolution'] as const;
export type ChoiceField = (typeof CHOICE_FIELDS)[number];

/** Whether a deployment sets the legal values that a name stands for. */
export const isChoice = (name: string | undefined): name is ChoiceField =>
  CHOICE_FIELDS.some((field) => field === name);

/** A list of the settings of bugs: an attribute of their item. */
export type SettingsList = ChoiceField | 'bug_status' | 'custom_fields';

/** Settings as they were read, and the lists of them that something follows from. */
export interface ReadSettings {
  /** the attributes of the item */
  stored: Readonly<Record<string, unknown>>;
  lists: readonly SettingsList[];
}

const names = (fallback: string[]) => z._default(z.array(z.string()), fallback);

/** The legal values of each field in the order of their rank; what a deployment does not set is Bugzilla's. */
export const legalValues = z.object({
  priority: names(['Highest', 'High', 'Normal', 'Low', 'Lowest', '---']),
  severity: names(['blocker', 'critical', 'major', 'normal', 'minor', 'trivial', 'enhancement']),
  platform: names(['All', 'PC', 'Macintosh', 'Other']),
  op_sys: names(['All', 'Windows', 'Mac OS', 'Linux', 'Other']),
  /** of closed bugs; an open one has '' */
  resolution: names(['FIXED', 'INVALID', 'WONTFIX', 'DUPLICATE', 'WORKSFORME']),
  /** statuses with their transitions; absent: Bugzilla's default workflow */
  bug_status: z.optional(z.array(statusRow)),
});
export type LegalValues = z.infer<typeof legalValues>;

export const DEFAULT_LEGAL_VALUES: LegalValues = legalValues.parse({});

/** The legal values of a field in the order of their rank; the empty resolution, of open bugs, first. */
export const legalNames = (field: ChoiceField, legal: LegalValues): readonly string[] =>
  field === 'resolution' ? ['', ...legal.resolution] : legal[field];
