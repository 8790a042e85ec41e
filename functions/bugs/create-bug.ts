import * as z from 'zod/mini';
import { ignoredWithin, type NamedValues, parseParameters } from '../../lib/base/parameters.ts';
import { isIgnoredOfNewBug } from '../../lib/bugs/change/new-bug.ts';
import { takeDescription } from '../../lib/bugs/comments/requests.ts';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import { customParameters, IGNORED_OF_NEW_BUG, newBug } from '../../lib/bugs/requests.ts';
import { errors } from '../../lib/errors.ts';
import { CREDENTIAL_PARAMETERS, ignoredHeader } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireUser } from '../../lib/people/caller.ts';
import { editorOf } from '../editor.ts';
import type { BugServices } from './services.ts';
import { ignoredCustom } from './update-bugs.ts';

/**
 * Creates a bug with its description, the comment 0, in a product that the caller may enter bugs against; returns its
 * id. functions/bugs/README.md 4.1.
 */
export const createBug: Endpoint<BugServices> = async (request, services) => {
  const named = withRestNames(request.parameters);
  const { data } = productParameter.safeParse(Object.fromEntries(named));
  const reads = services.changes.readAhead(data?.product);
  const editor = await editorOf(request, services);
  const response = await services.idempotent(request, requireUser(editor.caller), async (recordFor) => {
    const found = await reads.product.catch(() => undefined);
    const ignored = (name: string) => isIgnoredOfNewBug(name, editor, found?.product);
    const given = readNewBug(named, ignored);
    const { content, others } = takeDescription(given);
    const { comment_tags, default_version, flags, ...update } = others;
    const requested = {
      ...{ custom: customParameters(named), flags, tags: comment_tags, comment: content },
      update: { ...update, version: update.version ?? default_version },
    };
    return services.changes.create(requested, editor, reads, recordFor);
  });
  // Bugzilla returns 200 for a new bug, and 201 for everything else that is created.
  const ignored = [
    ...request.parameters.ignored(),
    ...(await ignoredCustom(customParameters(named), services.bugSettings)),
    ...ignoredWithin(named, parseParameters(flagsParameter, named)),
  ];
  return ok(response.body, ignoredHeader(ignored));
};

/** The only parameter of a new bug with objects in it. */
const flagsParameter = z.pick(newBug, { flags: true });

/** What is read while the caller is authenticated follows from it. */
const productParameter = z.pick(newBug, { product: true });

const IGNORED = [...IGNORED_OF_NEW_BUG, ...CREDENTIAL_PARAMETERS];

/** The parameters of a new bug, without those that are ignored. */
function readNewBug(parameters: NamedValues<unknown>, isIgnored: (name: string) => boolean) {
  const taken = new Map(
    [...parameters].filter(
      ([name]) => !name.startsWith('cf_') && !isIgnored(name) && !IGNORED.includes(name),
    ),
  );
  for (const name of taken.keys()) {
    if (!Object.hasOwn(newBug.shape, name)) throw errors.parameterUnknown(name);
    // Asked for, so that it does not count as ignored.
    parameters.get(name);
  }
  return parseParameters(newBug, taken);
}

/** Parameters under the names of the interface, where they came under Bugzilla's internal ones. */
function withRestNames(parameters: NamedValues<unknown>): NamedValues<unknown> {
  const renamed = parameters.copy();
  for (const { name, rest, created, updated } of BUILT_IN_FIELDS) {
    const isParameter = (created ?? 'ignored') !== 'ignored' || updated !== undefined;
    if (rest === undefined || rest === name || !isParameter || !parameters.has(name)) continue;
    renamed.delete(name);
    if (!parameters.has(rest)) renamed.set(rest, parameters.get(name));
  }
  return renamed;
}
