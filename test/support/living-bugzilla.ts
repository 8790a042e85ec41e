import type { Catalogue } from '../../lib/catalogue/schema.ts';
import type { CompleteBug, CompleteProduct } from './complete-catalogue.ts';
import { required } from './importing.ts';
import { rolloverCatalogue } from './rollover-catalogue.ts';
import { type SimulatedBugzilla, startSimulatedBugzilla } from './simulated-bugzilla.ts';
import type { SimulatedAttachment } from './simulated-responses.ts';

/** A Bugzilla that people go on using, and in which administrators and SQL change what leaves no trace in times. */
export interface LivingBugzilla extends SimulatedBugzilla {
  bug(id: number): CompleteBug;
  product(id: number): CompleteProduct;
  attachment(id: number): SimulatedAttachment;
  /** Raises the time of last change of a bug, as every change but those of administrators does. */
  touch(id: number): void;
  /** another number with each call */
  next(): number;
}

export async function startLivingBugzilla(bugs: number): Promise<LivingBugzilla> {
  const catalogue = rolloverCatalogue(bugs);
  const simulated = await startSimulatedBugzilla(catalogue);
  for (const bug of catalogue.bugs) {
    const attached = await attachmentsOf(bug);
    if (attached.length > 0) simulated.content.attachments.set(bug.id ?? 0, attached);
  }
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const { content } = simulated;
  return Object.assign(simulated, {
    next,
    bug: (id: number) => required(content.catalogue.bugs.find((one) => one.id === id)),
    product: (id: number) => required(content.catalogue.products.find((one) => one.id === id)),
    attachment: (id: number) =>
      required([...content.attachments.values()].flat().find((one) => one.id === id)),
    touch: (id: number) => content.changed.set(id, timeAfter(next())),
  });
}

/** Later than everything in the catalogue. */
export const timeAfter = (seconds: number): string =>
  new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString().replace('.000', '');

const attachmentsOf = ({ attachments = [] }: Catalogue['bugs'][number]): Promise<SimulatedAttachment[]> =>
  Promise.all(
    attachments.map(async ({ data, is_private, is_patch, is_obsolete, ...one }) => ({
      ...one,
      ...{ is_private: Number(is_private), is_patch: Number(is_patch), is_obsolete: Number(is_obsolete) },
      data: (await data.read()).toString('base64'),
    })),
  );

/** What a run after a change brings: any, one with --everything, or none, so that only --verify tells. */
type Seen = 'next' | 'everything' | 'none';

/** A change in a Bugzilla, as 5.2 makes it. */
export interface LivingChange {
  /** as infra/MIGRATING.md names it */
  what: string;
  seen: Seen;
  /** of the difference that --verify finds before the run */
  line: RegExp;
  change(bugzilla: LivingBugzilla): void;
}

const renameLogin = (value: unknown, from: string, to: string): unknown => {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((one) => renameLogin(one, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renameLogin(one, from, to)]));
};

/** As editusers.cgi: everything refers to the user by id, but for the texts of histories. */
export function changeLogin({ content }: SimulatedBugzilla, from: string, to: string): void {
  const { catalogue } = content;
  const histories = new Map(catalogue.bugs.map(({ id, history }) => [id, history]));
  const bugs = catalogue.bugs.map((bug) => {
    const history = (histories.get(bug.id) ?? []).map((entry) => ({
      ...entry,
      who: entry.who === from ? to : entry.who,
    }));
    return { ...(renameLogin(bug, from, to) as CompleteBug), history };
  });
  for (const user of catalogue.users) if (user.login === from) user.login = to;
  catalogue.products = renameLogin(catalogue.products, from, to) as typeof catalogue.products;
  catalogue.bugs = bugs as typeof catalogue.bugs;
  for (const [bug, all] of content.attachments) {
    content.attachments.set(bug, renameLogin(all, from, to) as SimulatedAttachment[]);
  }
}

/** As editgroups.cgi. */
export function renameGroup({ content: { catalogue } }: SimulatedBugzilla, from: string, to: string): void {
  const renamed = (names: readonly string[]) => names.map((name) => (name === from ? to : name));
  for (const group of catalogue.groups) if (group.name === from) group.name = to;
  for (const user of catalogue.users) user.groups = renamed(user.groups);
  for (const bug of catalogue.bugs) bug.groups = renamed(bug.groups);
  for (const product of catalogue.products) {
    for (const control of product.group_controls) control.group = control.group === from ? to : control.group;
  }
}

/** Changes of bugs 1 to 19 and of what they refer to, each of something else. */
export const LIVING_CHANGES: readonly LivingChange[] = [
  {
    what: 'a field of a bug',
    seen: 'next',
    line: /^bug 2, whiteboard, administrator: there "changed"/,
    change({ bug, touch }) {
      bug(2).whiteboard = 'changed';
      touch(2);
    },
  },
  {
    what: 'a comment',
    seen: 'next',
    line: /^bug 3, comment 9003, id, administrator/,
    change({ bug, content }) {
      const last = required(bug(3).comments.at(-1));
      bug(3).comments.push({ ...last, id: 9003, text: 'Later', creation_time: timeAfter(1) });
      content.changed.set(3, timeAfter(1));
    },
  },
  {
    what: 'a field of a bug, by SQL',
    seen: 'next',
    line: /^bug 4, url, administrator: there "https:\/\/example.com\/4"/,
    change({ bug }) {
      bug(4).url = 'https://example.com/4';
    },
  },
  {
    what: 'hours of a comment, by SQL',
    seen: 'next',
    line: /^bug 17, actual_time, administrator: there 3, here 0/,
    change({ bug }) {
      required(bug(17).comments[0]).work_time = 3;
    },
  },
  {
    what: 'a flag of a bug, by SQL',
    seen: 'next',
    line: /^bug 12, flags, administrator/,
    change({ bug }) {
      for (const flag of bug(12).flags) flag.status = '-';
    },
  },
  {
    what: 'the groups of a bug, by the group controls of its product',
    seen: 'next',
    line: /^bug 6, product, anonymous: there nothing, here "(Public|Renamed)"/,
    change({ bug }) {
      bug(6).groups = ['security'];
    },
  },
  {
    what: 'the name and the description of a product',
    seen: 'next',
    line: /^product 'Renamed', name, administrator: there "Renamed", here "Public"/,
    change({ product, content }) {
      const renamed = product(1);
      for (const bug of content.catalogue.bugs) if (bug.product === renamed.name) bug.product = 'Renamed';
      Object.assign(renamed, { name: 'Renamed', description: 'Another one' });
    },
  },
  {
    what: 'a product that becomes private',
    seen: 'next',
    line: /^product 'Mixed', product_selectable, anonymous: there false, here true/,
    change({ product, content }) {
      const control = { group: 'security', entry: true, membercontrol: 'MANDATORY', canedit: false } as const;
      product(3).group_controls.push(control);
      for (const bug of content.catalogue.bugs) if (bug.product === 'Mixed') bug.groups.push('security');
    },
  },
  {
    what: 'name, description, and default assignee of a component',
    seen: 'next',
    line: /^product '\w+', component 11, default_assigned_to, administrator: there "cem@example.com"/,
    change({ product, content }) {
      const [, docs] = product(1).components;
      for (const bug of content.catalogue.bugs) {
        if (bug.product === product(1).name && bug.component === 'Docs') bug.component = 'Handbook';
      }
      Object.assign(required(docs), {
        ...{ name: 'Handbook', description: 'For users', default_assigned_to: 'cem@example.com' },
      });
    },
  },
  {
    what: 'versions and milestones: new, renamed, inactive, deleted',
    seen: 'next',
    line: /^product '\w+', version 10, name, administrator: there "1\.0 LTS"/,
    change({ product, content }) {
      const { versions, milestones } = product(1);
      const [version] = versions;
      required(version).name = '1.0 LTS';
      for (const bug of content.catalogue.bugs) if (bug.product === product(1).name) bug.version = '1.0 LTS';
      versions.push({ ...required(version), id: 910, name: '2.0', is_active: false });
      milestones.push({ ...required(milestones[0]), id: 911, name: 'M2', sort_key: 5 });
    },
  },
  {
    what: 'flag types: renamed, inactive, deleted',
    seen: 'next',
    line: /^product 'Vault', flag type 2, is_active, administrator: there false, here true/,
    change({ product, bug, content }) {
      const [type] = product(2).flag_types;
      Object.assign(required(type), { name: 'approved', is_active: false });
      for (const { flags } of content.catalogue.bugs) {
        for (const flag of flags) if (flag.type_id === 2) flag.name = 'approved';
      }
      product(3).flag_types = [];
      for (const { id = 0, product: name } of content.catalogue.bugs)
        if (name === 'Mixed') bug(id).flags = [];
    },
  },
  {
    what: 'keywords: renamed, deleted, described otherwise',
    seen: 'next',
    line: /^keyword 'perf', keywords, administrator: there nothing/,
    change({ content: { catalogue } }) {
      catalogue.keywords = [
        { ...required(catalogue.keywords[0]), name: 'speed', description: 'Slow things' },
      ];
      for (const bug of catalogue.bugs) bug.keywords = bug.keywords.map(() => 'speed');
    },
  },
  {
    what: 'statuses and their transitions',
    seen: 'next',
    line: /^status 'ASSIGNED', bug_status, administrator: there nothing/,
    change({ content: { catalogue } }) {
      const renamed = (name: string) => (name === 'ASSIGNED' ? 'Ünder review' : name);
      const rows = required(catalogue.field_values.bug_status);
      for (const row of rows) {
        row.name = renamed(row.name);
        row.can_change_to = row.can_change_to.map((to) => ({ ...to, name: renamed(to.name) }));
      }
      required(rows.find(({ name }) => name === 'REOPENED')).can_change_to.pop();
      for (const bug of catalogue.bugs) bug.status = renamed(bug.status);
    },
  },
  {
    what: 'values of fields',
    seen: 'next',
    line: /^field priority, values, administrator: there \["Now","Later"\]/,
    change({ content: { catalogue } }) {
      catalogue.field_values.priority = ['Now', 'Later'];
      for (const bug of catalogue.bugs) bug.priority = 'Later';
    },
  },
  {
    what: 'the definition of a custom field',
    seen: 'next',
    line: /^field cf_build, display_name, administrator: there "Build number"/,
    change({ content: { catalogue } }) {
      for (const field of catalogue.bug_fields) field.display_name = 'Build number';
    },
  },
  {
    what: 'the name and the description of a group',
    seen: 'next',
    line: /^user 'ben@example.com', groups, administrator: there \["crew"\], here \["team"\]/,
    change(bugzilla) {
      renameGroup(bugzilla, 'team', 'crew');
      const group = required(bugzilla.content.catalogue.groups.find(({ name }) => name === 'crew'));
      group.description = 'Those who build it';
    },
  },
  {
    what: 'the login of a user',
    seen: 'next',
    line: /^bug \d+, creator, administrator: there "dora.new@example.com", here "dora@example.com"/,
    change(bugzilla) {
      changeLogin(bugzilla, 'dora@example.com', 'dora.new@example.com');
    },
  },
  {
    what: 'real name, groups, mail and state of a user',
    seen: 'next',
    line: /^user 'cem@example.com', real_name, administrator: there "Cem Renamed"/,
    change({ content: { catalogue } }) {
      const user = required(catalogue.users.find(({ login }) => login === 'cem@example.com'));
      Object.assign(user, { real_name: 'Cem Renamed', email_enabled: true, disabled: 'Left', groups: [] });
    },
  },
  {
    what: 'tags of comments',
    seen: 'everything',
    line: /^bug 8, comment 81, tags, administrator: there \["else"\], here \["later"\]/,
    change({ bug }) {
      required(bug(8).comments[1]).tags = ['else'];
    },
  },
  {
    what: 'the privacy of a comment, by SQL',
    seen: 'everything',
    line: /^bug 11, comment 112, is_private, administrator: there false, here true/,
    change({ bug }) {
      required(bug(11).comments[2]).is_private = false;
    },
  },
  {
    what: 'deleted data of an attachment',
    seen: 'everything',
    line: /^bug 7, attachment 14, sha256, administrator/,
    change({ attachment }) {
      Object.assign(attachment(14), { data: null, content_type: 'text/plain', is_obsolete: 1, flags: [] });
    },
  },
  {
    what: 'fields and flags of an attachment, by SQL',
    seen: 'everything',
    line: /^bug 13, attachment 26, summary, administrator: there "Other"/,
    change({ attachment, bug }) {
      attachment(26)['summary'] = 'Other';
      // Bugzilla::Comment::body_full has the present summary.
      required(bug(13).comments.find(({ id }) => id === 135)).text = 'Created attachment 26\nOther';
    },
  },
  {
    what: 'a change in the history of a bug, by SQL',
    seen: 'everything',
    line: /^bug 14, change, administrator: there "2015-01-15T08:36:00Z/,
    change({ bug }) {
      const [entry] = bug(14).history;
      bug(14).history.push({ ...required(entry), when: '2015-01-15T08:36:00Z' });
    },
  },
  {
    what: 'the text of a comment, by SQL',
    seen: 'everything',
    line: /^bug 16, comment 160, text, administrator: there "Rewritten"/,
    change({ bug }) {
      required(bug(16).comments[0]).text = 'Rewritten';
    },
  },
  {
    what: 'an attachment that is deleted as a whole, by SQL',
    seen: 'none',
    line: /^bug 1, attachment 2, id, administrator: there nothing, here 2/,
    change({ content, bug }) {
      content.attachments.set(1, required(content.attachments.get(1)).slice(1));
      for (const comment of bug(1).comments) if (comment.attachment_id === 2) comment.attachment_id = null;
    },
  },
  {
    what: 'other data of an attachment, by SQL',
    seen: 'everything',
    line: /^bug 19, attachment 38, sha256, administrator/,
    change({ attachment }) {
      attachment(38).data = Buffer.from('else').toString('base64');
    },
  },
];
