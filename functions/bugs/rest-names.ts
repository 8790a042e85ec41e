import type { NamedValues } from '../../lib/base/parameters.ts';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';

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

/**
 * Parameters of an update, with the status under the name of the interface: of the internal names Bugzilla takes this one
 * there, and ignores others. functions/bugs/README.md 4.2
 */
export function withStatus(parameters: NamedValues<unknown>): NamedValues<unknown> {
  if (!parameters.has('bug_status') || parameters.has('status')) return parameters;
  const renamed = parameters.copy();
  renamed.set('status', parameters.get('bug_status'));
  return renamed;
}
