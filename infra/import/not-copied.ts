import type { Database } from './database.ts';

/** Tables with what there is no place for here, and what it is. */
const NOT_COPIED: Record<string, string> = {
  quips: 'quips',
  whine_events: 'whines',
  votes: 'votes',
  reports: 'saved reports',
  series: 'charts',
  tag: "people's tags of bugs",
  email_bug_ignore: 'bugs that people ignore mails of',
  profile_setting: 'settings of the pages',
  namedqueries_link_in_footer: 'searches in footers',
  audit_log: 'entries of the audit log',
  profiles_activity: 'changes of users',
  longdescs_tags_activity: 'changes of tags of comments',
};

/** Tables that are read, and others of Bugzilla that have nothing to copy. */
const KNOWN = new Set(
  `attach_data attachments bug_group_map bug_see_also bug_severity bug_status bug_tag bug_user_last_visit bugs bugs_activity
  bugs_aliases bugs_fulltext bz_schema category_group_map cc classifications component_cc components dependencies duplicates
  email_rates email_setting field_visibility fielddefs flagexclusions flaginclusions flags flagtypes group_control_map group_group_map groups
  keyworddefs keywords login_failure logincookies longdescs longdescs_tags longdescs_tags_weights mail_staging milestones
  namedqueries namedquery_group_map op_sys priority products profile_search profiles rep_platform resolution series_categories
  series_data setting setting_value status_workflow tokens ts_error ts_exitstatus ts_funcmap ts_job ts_note user_api_keys
  user_group_map versions watch whine_queries whine_schedules sqlite_sequence`.split(/\s+/),
);

/** What has no place here, with counts, and passwords. */
export async function notCopied({ columns, count }: Database): Promise<string[]> {
  const lines = ['passwords: people sign in by mail, or with API keys'];
  for (const [table, what] of Object.entries(NOT_COPIED)) {
    const rows = columns.has(table) ? await count(table) : 0;
    if (rows > 0) lines.push(`${rows} ${what}`);
  }
  return lines;
}

/** Columns of tables that are read, and that have nothing to copy. */
const KNOWN_COLUMNS = new Set(
  `profiles.cryptpassword profiles.mybugslink profiles.extern_id profiles.last_seen_date profiles.refreshed_when groups.isbuggroup
  groups.icon_url groups.last_changed user_api_keys.id user_api_keys.last_used user_api_keys.last_used_ip user_api_keys.app_id
  bug_user_last_visit.id fielddefs.long_desc fielddefs.mailhead fielddefs.buglist fielddefs.reverse_desc fielddefs.is_numeric keyworddefs.is_active profiles.login_name
  products.votesperuser products.maxvotesperbug products.votestoconfirm classifications.sortkey bugs.lastdiffed bugs.votes
  longdescs.already_wrapped longdescs.is_markdown longdescs_tags.id bug_see_also.id bug_see_also.class attachments.attach_size`.split(
    /\s+/,
  ),
);

/** Tables and columns that no Bugzilla has by itself, as extensions make them; to be called when everything was read. */
export function unknownParts({ columns, others }: Database): string[] {
  const custom = (table: string) => /^(bug_)?cf_/.test(table);
  const tables = [...columns.keys()].filter(
    (table) => !KNOWN.has(table) && !Object.hasOwn(NOT_COPIED, table) && !custom(table),
  );
  return Object.entries({ tables, columns: others().filter((one) => !KNOWN_COLUMNS.has(one)) }).flatMap(
    ([what, all]) =>
      all.length === 0 ? [] : [`${what} that are not Bugzilla's own: ${all.sort().join(', ')}`],
  );
}
