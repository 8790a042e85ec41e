import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import type { Parameters } from '../../lib/parameters.ts';

/** Parameters under the names of the interface, where they came under Bugzilla's internal ones. */
export function withRestNames(parameters: Parameters): Parameters {
  const renamed = new Map(parameters);
  for (const { name, rest, created, updated } of BUILT_IN_FIELDS) {
    const isParameter = (created ?? 'ignored') !== 'ignored' || updated !== undefined;
    if (rest === undefined || rest === name || !isParameter || !parameters.has(name)) continue;
    renamed.delete(name);
    if (!parameters.has(rest)) renamed.set(rest, parameters.get(name));
  }
  return renamed;
}
