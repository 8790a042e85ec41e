import { BUG_FIELDS } from '../../lib/bugs/fields.ts';
import type { Parameters } from '../../lib/http/parameters.ts';

/** Parameters under the names of the interface, where they came under Bugzilla's internal ones. */
export function withRestNames(parameters: Parameters): Parameters {
  const renamed = new Map(parameters);
  for (const { name, rest } of BUG_FIELDS) {
    if (rest === '' || rest === name || !parameters.has(name)) continue;
    renamed.delete(name);
    if (!parameters.has(rest)) renamed.set(rest, parameters.get(name));
  }
  return renamed;
}
