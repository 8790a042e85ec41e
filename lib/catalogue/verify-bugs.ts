import { bugRepository } from '../bugs/repository.ts';
import type { BugItem } from '../bugs/schema.ts';
import { commentRepository } from '../comments/repository.ts';
import type { Table } from '../dynamodb/client.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { idsOfSource } from './bug-source-repository.ts';
import { isSameComment } from './place-comments.ts';
import type { Catalogue, CatalogueBug, Problem } from './schema.ts';

/** A bug of the catalogue with its place, and the ids that its alias and its content have in the table. */
interface Found {
  given: CatalogueBug;
  path: PropertyKey[];
  /** its id, as far as it is known */
  id: number | undefined;
  /** holders of the aliases, by their index */
  holders: (number | undefined)[];
}

/** Bugs that are other ones in the table, and aliases and comment ids that other bugs have. */
export async function bugProblems(table: Table, { bugs }: Catalogue): Promise<Problem[]> {
  const repository = bugRepository(table, () => new Date());
  const found = await mapConcurrent([...bugs.entries()], async ([b, given]): Promise<Found> => {
    const holders = await repository.idsOf(given.aliases ?? []);
    const [ofSource] = given.id === undefined ? await idsOfSource(table, given) : [];
    const id = given.id ?? ofSource ?? holders.find((holder) => holder !== undefined);
    return { given, path: ['bugs', b], id, holders };
  });
  const stored = await repository.byIds(found.flatMap(({ id }) => id ?? []));
  const problems = await mapConcurrent(found, async (one) => [
    ...aliasProblems(one),
    ...(await identityProblems(table, one, stored.get(one.id ?? 0))),
    ...(await commentIdProblems(table, one)),
  ]);
  return problems.flat();
}

const aliasProblems = ({ path, id, holders }: Found): Problem[] =>
  holders.flatMap((holder, a) =>
    holder === undefined || holder === id
      ? []
      : [{ path: [...path, 'aliases', a], message: `bug ${holder} has this alias` }],
  );

async function identityProblems(
  table: Table,
  { given, path }: Found,
  existing: BugItem | undefined,
): Promise<Problem[]> {
  if (existing === undefined) return [];
  const { id, reporter } = existing;
  if (reporter !== given.reporter) {
    return [{ path, message: `bug ${id} is another one, reported by '${reporter}'` }];
  }
  const description = await commentRepository(table).description(id);
  const [comment] = given.comments;
  if (description === undefined || comment === undefined || isSameComment(description, comment)) return [];
  return [{ path: [...path, 'comments', 0], message: `bug ${id} has another comment 0` }];
}

async function commentIdProblems(table: Table, { given, path, id }: Found): Promise<Problem[]> {
  const holders = await commentRepository(table).bugsOf(
    given.comments.flatMap((comment) => comment.id ?? []),
  );
  return given.comments.flatMap((comment, c): Problem[] => {
    const holder = holders.get(comment.id ?? 0);
    if (holder === undefined || holder === id) return [];
    return [
      {
        path: [...path, 'comments', c, 'id'],
        message: `the comment ${comment.id} belongs to bug ${holder}`,
      },
    ];
  });
}
