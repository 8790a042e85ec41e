import { errors } from '../../lib/errors.ts';

/** @throws errors.valueUnknown (404, 51): bugs have no flags */
export function refuseFlags(given: unknown): void {
  if (!Array.isArray(given) || given.length === 0) return;
  const [first]: unknown[] = given;
  const hasName = typeof first === 'object' && first !== null && 'name' in first;
  throw errors.valueUnknown('flag', hasName ? String(first.name) : '');
}
