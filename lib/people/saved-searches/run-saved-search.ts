import * as z from 'zod/mini';
import {
  NamedValues,
  optional,
  type Parameters,
  parseParameters,
  readQuery,
  text,
} from '../../base/parameters.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type Caller, requireUser } from '../caller.ts';
import { ownSearches, type ReadingServices, visibleSearches } from './find-saved-searches.ts';

/** What names a saved search: as Bugzilla's lists, and as Red Hat's REST interface. */
const naming = z.object({
  savedsearch: optional(text),
  namedcmd: optional(text),
  cmdtype: optional(text),
  remaction: optional(text),
  sharer_id: optional(text),
});

/** What a request says of a list besides its conditions, which are those of the saved search. */
const OF_LIST: readonly string[] = [
  ...['order', 'list_order', 'columnlist', 'limit', 'offset', 'include_fields', 'exclude_fields'],
  ...['count_only', 'count_total', 'human', 'ctype'],
];

/**
 * The parameters of a search: those of the request, or of the saved search that it runs, which the caller owns or which `sharer_id` shares
 * with the caller.
 *
 * @throws BugzillaError when the caller is anonymous, or sees no such search
 */
export async function searchParametersOf(
  parameters: Parameters,
  caller: Promise<Caller>,
  services: ReadingServices,
): Promise<Parameters> {
  const { savedsearch, namedcmd, cmdtype, remaction, sharer_id } = parseParameters(naming, parameters);
  const isRun = cmdtype === 'runnamed' || (cmdtype === 'dorem' && remaction === 'run');
  const name = savedsearch ?? (isRun ? (namedcmd ?? '') : undefined);
  if (name === undefined) return parameters;
  const search = await savedSearchNamed(name, sharer_id ?? '', await caller, services);
  // Asked for by name: the other parameters are told as ignored.
  const ofList = OF_LIST.map((given) => [given, parameters.get(given)] as const).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const kept = [...readQuery(search.query)].filter(([given]) => !Object.hasOwn(naming.shape, given));
  return new NamedValues<unknown>([...kept, ...ofList]);
}

async function savedSearchNamed(name: string, sharer: string, caller: Caller, services: ReadingServices) {
  const { id, login } = requireUser(caller);
  const isOwn = sharer === '' || sharer === String(id);
  const [owner] = isOwn ? [{ login }] : await services.users.byIds([Number(sharer) || 0]);
  const searches = await (isOwn ? ownSearches(services, caller) : visibleSearches(services, caller));
  const found = searches.find(
    (one) => one.owner === owner?.login && normalizeName(one.name) === normalizeName(name),
  );
  if (found === undefined) throw errors.savedSearchUnknown(name);
  return found;
}
