import { validGroups } from '../../../lib/products/group-controls.ts';
import { productRepository } from '../../../lib/products/repository.ts';
import {
  type Bugzilla,
  type BugzillaOptions,
  bugzillaClient,
  DEFAULT_OPTIONS,
} from '../../import/bugzilla-client.ts';
import { type Verification, type VerifyOptions, verifyImport } from '../../import/verify/verify-import.ts';
import { type Context, print, UsageError } from '../context.ts';
import type { progressBar } from '../progress.ts';

/** Requests to this service: a fifth of what API Gateway lets through by default. */
const HERE_PER_SECOND = 20;

const NO_KEY_HERE =
  'Name the API key of an administrator of this service, who is in all groups, in BUGLESS_API_KEY';

/**
 * `import URL --verify HERE`
 *
 * @param here the address and the API key of this service
 * @throws Error with the number of differences, where there are any
 */
export async function verify(
  { context, bar }: { context: Context; bar: ReturnType<typeof progressBar> },
  there: Bugzilla,
  here: Pick<BugzillaOptions, 'url' | 'key' | 'onRetry'>,
  options: VerifyOptions,
): Promise<void> {
  if (there.hasKey && here.key === undefined) throw new UsageError(NO_KEY_HERE);
  const client = bugzillaClient({ ...DEFAULT_OPTIONS, requestsPerSecond: HERE_PER_SECOND, ...here });
  const products = productRepository(context.table);
  const controlsOf = async (name: string) => {
    const [id = 0] = (await products.idsByName([name])).values();
    const product = await products.byId(id);
    return product && validGroups(product);
  };
  const result = await verifyImport({ there, here: client }, { ...options, controlsOf }, bar.report).finally(
    bar.end,
  );
  print(context, result, linesOf(result));
  const count = result.differences.reduce((sum, one) => sum + one.count, 0);
  if (count > 0) throw new Error(`${count} differences: see ${result.file}`);
}

function linesOf({ readers, users, differences, intended, requests, ...of }: Verification): string[] {
  return [
    `${of.source} beside ${of.here}, with ${requests.there} and ${requests.here} requests:`,
    ...readers.flatMap(({ reader, products, shownBugs, ...compared }) => [
      `as ${reader}: ${products.there} products, here ${products.here}; ${shownBugs.there} bugs, here ${shownBugs.here}`,
      `  compared: ${compared.bugs} bugs, ${compared.comments} comments, ${compared.changes} changes, ${compared.attachments} attachments`,
    ]),
    ...(users === undefined
      ? []
      : [
          `users: ${users.there}, here ${users.here}; in ${users.groups.there} groups, here ${users.groups.here}`,
        ]),
    ...(intended.length === 0 ? [] : ['', 'Otherwise on purpose:']),
    ...intended.map(({ rule, why, count }) => `  ${count} ${rule}: ${why}`),
    '',
    ...(differences.length === 0 ? ['No differences'] : []),
    ...differences.flatMap(({ kind, count, first }) => [
      `${count} ${kind}:`,
      ...first.map((line) => `  ${line}`),
      ...(count > first.length ? [`  and ${count - first.length} more`] : []),
    ]),
  ];
}
