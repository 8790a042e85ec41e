import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import type { NamedValues } from '../../lib/parameters.ts';

/** Parameters under the names of the interface, where they came under Bugzilla's internal ones. */
export function withRestNames(parameters: NamedValues<unknown>): NamedValues<unknown> {
  const renamed = parameters.copy();
  for (const { name, rest, created, updated } of BUILT_IN_FIELDS) {
    const isParameter = (created ?? 'ignored') !== 'ignored' || updated !== undefined;
    if (rest === undefined || rest === name || !isParameter || !parameters.has(name)) continue;
    renamed.delete(name);
    if (!parameters.has(rest)) renamed.set(rest, parameters.get(name));
  }
  return renamed;
}
