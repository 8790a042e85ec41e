import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import { USER } from '../environment.ts';

/** The user who asks. */
export const LOGIN = 'user@example.com';

/** The requested items are equal in tables of every size. */
export const LANDMARKS = {
  productId: 1,
  productName: 'Landmark',
  updatedId: 2,
  renamedId: 3,
  bug: 1,
  alias: 'landmark-bug',
  comment: 2,
  commentedBug: 2,
  /** the first of the comments that get tags */
  firstTagged: 101,
  rareTag: 'x-needle',
} as const;

/**
 * The requested items, and a user with all rights.
 *
 * @param tagged number of comments for tag changes
 */
export function landmarks(tagged: number): Catalogue {
  const groups = ['taggers', 'editcomponents', 'insiders', 'editbugs'];
  return parseCatalogue({
    groups: groups.map((name) => ({ name })),
    users: [{ login: LOGIN, groups, api_keys: [{ key: USER }] }],
    products: [product(LANDMARKS.productName), product('Updated'), product('Renamed')].map((one, at) => ({
      id: at + 1,
      ...one,
    })),
    bugs: [
      bug(LANDMARKS.bug, [LANDMARKS.alias], [1, 2, 3, 4, 5, 6]),
      bug(LANDMARKS.commentedBug, [], [7]),
      bug(
        3,
        [],
        Array.from({ length: tagged }, (_, at) => LANDMARKS.firstTagged + at),
      ),
    ],
  });
}

function product(name: string) {
  const releases = ['1.0', '2.0', '3.0'].map((release) => ({ name: release }));
  return {
    name,
    description: 'Stands here at every size of the table.',
    components: ['Core', 'Interface', 'Manual'].map((component) => ({
      name: component,
      default_assigned_to: LOGIN,
    })),
    versions: releases,
    milestones: releases,
    flag_types: [{ name: `review of ${name}`, target: 'attachment' }],
  };
}

function bug(id: number, aliases: string[], comments: number[]) {
  return {
    id,
    aliases,
    product: LANDMARKS.productName,
    component: 'Core',
    summary: 'A bug like others',
    reporter: LOGIN,
    assigned_to: LOGIN,
    cc: [LOGIN],
    comments: comments.map((comment) => ({
      id: comment,
      text: `This is the comment ${comment}, and `.repeat(8).trim(),
      creator: LOGIN,
      creation_time: '2014-12-31T12:00:00Z',
      tags: comment === LANDMARKS.comment ? [LANDMARKS.rareTag] : [],
    })),
  };
}
