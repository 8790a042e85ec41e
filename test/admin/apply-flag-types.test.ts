import { expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { newTable } from '../support/bugless.ts';
import { exportedCatalogue } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aFile } from '../support/small-catalogue.ts';

const LOGIN = 'a@example.org';
const TIME = '2024-01-01T00:00:00Z';

const flag = (id: number, type_id: number, name: string) => ({
  ...{ id, type_id, name, status: '?', setter: LOGIN, requestee: LOGIN },
  ...{ creation_date: TIME, modification_date: TIME },
});

/** Bug 1 in the component C and bug 2 in D; each has two flags, and an attachment with one. */
const bugs = ['C', 'D'].map((component, index) => ({
  ...{ id: index + 1, product: 'P', component, summary: component, reporter: LOGIN },
  flags: [flag(10 + index, 1, 'review'), flag(20 + index, 3, 'other')],
  comments: [{ text: 't', creator: LOGIN, creation_time: TIME }],
  attachments: [aFile(index + 1, { creator: LOGIN, flags: [flag(30 + index, 2, 'approval')] })],
}));

const products = (ofBugs: object, ofAttachments: object) => [
  {
    name: 'P',
    components: [{ name: 'C' }, { name: 'D' }],
    flag_types: [
      { id: 1, name: 'review', target: 'bug', ...ofBugs },
      { id: 2, name: 'approval', target: 'attachment', ...ofAttachments },
      { id: 3, name: 'other', target: 'bug' },
    ],
  },
];

interface WithFlags {
  flags: { name: string; requestee: string | null }[];
}
interface StoredBug extends WithFlags {
  id: number;
  attachments: WithFlags[];
}
const shown = ({ flags }: WithFlags) =>
  flags.map(({ name, requestee }) => `${name}${requestee === null ? '' : `(${requestee})`}`);

const [REVIEW, APPROVAL, OTHER] = ['review', 'approval', 'other'].map((name) => `${name}(${LOGIN})`);

it.each([
  [
    'the components of a type for bugs',
    { components: ['D'] },
    {},
    [[OTHER], [APPROVAL], [REVIEW, OTHER], [APPROVAL]],
  ],
  [
    'the components of one for attachments',
    {},
    { excluded_components: ['C'] },
    [[REVIEW, OTHER], [], [REVIEW, OTHER], [APPROVAL]],
  ],
  [
    'whether it has requestees',
    { is_requesteeble: false },
    {},
    [['review', OTHER], [APPROVAL], ['review', OTHER], [APPROVAL]],
  ],
  [
    'its description only',
    { description: 'd' },
    {},
    [[REVIEW, OTHER], [APPROVAL], [REVIEW, OTHER], [APPROVAL]],
  ],
])('flags that are set follow a catalogue that changes %s', async (_, ofBugs, ofAttachments, expected) => {
  const table = await newTable(
    parseNumbered({ users: [{ login: LOGIN }], products: products({}, {}), bugs }),
  );
  await applyCatalogue(table, parseNumbered({ products: products(ofBugs, ofAttachments) }));
  const stored: StoredBug[] = (await exportedCatalogue(table)).bugs;
  const inOrder = stored.toSorted((a, b) => a.id - b.id);
  expect(inOrder.flatMap((bug) => [shown(bug), ...bug.attachments.map(shown)])).toEqual(expected);
  await expectNoViolations(table);
});
