import { describe, expect, it } from 'vitest';
import { newTable, serve } from '../support/bugless.ts';
import type { CompleteBug } from '../support/complete-catalogue.ts';
import { importInto, required } from '../support/importing.ts';
import { expectNoViolations } from '../support/integrity.ts';
import {
  changeLogin,
  type LivingBugzilla,
  renameGroup,
  startLivingBugzilla,
  timeAfter,
} from '../support/living-bugzilla.ts';
import { randomNumbers } from '../support/random.ts';
import { enableAdmin, verifiedLines } from '../support/verifying.ts';

/** All of them are tried in the long edition. */
const EVENINGS = Number(process.env['EVENINGS'] ?? 1);
const CHANGES = 4;
const BUGS = 12;
const SEED = 20_261_126;

type Pick = <T>(all: readonly T[]) => T;
type Change = (bugzilla: LivingBugzilla, pick: Pick) => void;

/** What people, administrators and SQL do in an evening, as a run of the night sees it. */
const CHANGES_OF_AN_EVENING: readonly Change[] = [
  ({ bug, touch, next }, pick) => {
    const id = pick(ids);
    bug(id).whiteboard = `w${next()}`;
    touch(id);
  },
  ({ bug, content, next }, pick) => {
    const id = pick(ids);
    const n = next();
    const last = required(bug(id).comments.at(-1));
    const work_time = n % 3;
    const when = timeAfter(n);
    const entry = {
      ...{ when, who: last.creator },
      changes: [{ field_name: 'work_time', removed: '', added: `${work_time}` }],
    };
    if (work_time > 0) bug(id).history.push(entry as CompleteBug['history'][number]);
    const added = { ...last, id: 10_000 + n, text: `Comment ${n}`, creation_time: when, work_time };
    bug(id).comments.push({ ...added, is_private: n % 4 === 0, attachment_id: null, tags: [] });
    content.changed.set(id, when);
  },
  ({ bug, content: { catalogue } }, pick) => {
    const { groups, product } = bug(pick(ids));
    const group = pick(['security', 'admin']);
    const { group_controls } = required(catalogue.products.find(({ name }) => name === product));
    const isMandatory = group_controls.some(
      (one) => one.group === group && one.membercontrol === 'MANDATORY',
    );
    if (isMandatory) return;
    if (groups.includes(group)) groups.splice(groups.indexOf(group), 1);
    else groups.push(group);
  },
  ({ content: { catalogue }, next }, pick) => {
    const product = pick(catalogue.products);
    const name = `${product.name.split(' ')[0]} ${next()}`;
    for (const bug of catalogue.bugs) if (bug.product === product.name) bug.product = name;
    product.name = name;
  },
  ({ content: { catalogue } }, pick) => {
    const product = pick(catalogue.products);
    const at = product.group_controls.findIndex(({ membercontrol }) => membercontrol === 'MANDATORY');
    const bugs = catalogue.bugs.filter((bug) => bug.product === product.name);
    if (at === -1) {
      product.group_controls.push({
        ...{ group: 'admin', entry: true, membercontrol: 'MANDATORY', canedit: false },
      });
      for (const { groups } of bugs) if (!groups.includes('admin')) groups.push('admin');
    } else {
      const { group } = required(product.group_controls.splice(at, 1)[0]);
      for (const { groups } of bugs) if (groups.includes(group)) groups.splice(groups.indexOf(group), 1);
    }
  },
  ({ content: { catalogue }, next }, pick) => {
    const product = pick(catalogue.products);
    const [version, component] = [pick(product.versions), pick(product.components)];
    const [versionName, componentName] = [`v${next()}`, `c${next()}`];
    for (const bug of catalogue.bugs) {
      if (bug.product !== product.name) continue;
      if (bug.version === version.name) bug.version = versionName;
      if (bug.component === component.name) bug.component = componentName;
    }
    Object.assign(version, { name: versionName });
    Object.assign(component, { name: componentName, description: `About ${componentName}` });
  },
  ({ content: { catalogue }, next }) => {
    const name = `keyword${next()}`;
    for (const bug of catalogue.bugs) bug.keywords = bug.keywords.map(() => name);
    for (const keyword of catalogue.keywords) keyword.name = name;
  },
  ({ content: { catalogue }, next }, pick) => {
    const rows = required(catalogue.field_values.bug_status);
    const { name: from } = pick(rows.filter(({ name, is_open }) => name !== '' && is_open));
    const to = `STATUS ${next()}`;
    for (const row of rows) {
      row.name = row.name === from ? to : row.name;
      for (const one of row.can_change_to) one.name = one.name === from ? to : one.name;
    }
    for (const bug of catalogue.bugs) bug.status = bug.status === from ? to : bug.status;
  },
  (bugzilla, pick) => {
    const { login } = pick(bugzilla.content.catalogue.users.slice(1));
    changeLogin(bugzilla, login, `user${bugzilla.next()}@example.com`);
  },
  (bugzilla) => {
    const { groups } = bugzilla.content.catalogue;
    const group = required(groups.find(({ description }) => description === 'team'));
    renameGroup(bugzilla, group.name, `team${bugzilla.next()}`);
  },
  ({ content: { catalogue }, next }, pick) => {
    const user = pick(catalogue.users.slice(1));
    const isLeaving = user.disabled === null || user.disabled === undefined;
    Object.assign(user, { real_name: `Name ${next()}`, disabled: isLeaving ? 'Left' : null });
  },
  ({ content: { catalogue } }, pick) => {
    const product = pick(catalogue.products);
    for (const type of product.flag_types) type.is_active = !type.is_active;
    product.description = `${product.description}.`;
  },
  ({ content, touch }, pick) => {
    const [bug, all] = pick([...content.attachments]);
    const attachment = pick(all);
    Object.assign(attachment, { data: null, content_type: 'text/plain', is_patch: 0, is_obsolete: 1 });
    touch(bug);
  },
];

const ids = Array.from({ length: BUGS }, (_, at) => at + 1);

describe('a Bugzilla that people go on using', () => {
  it(`is the same here after each night (${EVENINGS})`, { timeout: EVENINGS * 60_000 }, async () => {
    const random = randomNumbers(SEED);
    const pick: Pick = (all) => required(all[Math.floor(random() * all.length)]);
    const bugzilla = await startLivingBugzilla(BUGS);
    const table = await newTable();
    const run = () => importInto(table, bugzilla.url, { grantRights: true });
    await run();
    await enableAdmin(table);
    const here = await (await serve(table)).listen();
    for (let evening = 1; evening <= EVENINGS; evening += 1) {
      const changes = Array.from({ length: CHANGES }, () => pick(CHANGES_OF_AN_EVENING));
      for (const change of changes) change(bugzilla, pick);
      await run();
      const done = changes.map((change) => CHANGES_OF_AN_EVENING.indexOf(change));
      expect({ evening, done, left: await verifiedLines(bugzilla.url, here.url, table) }).toEqual({
        ...{ evening, done, left: [] },
      });
      await expectNoViolations(table);
    }
  });
});
