import { parseParameters } from '../../lib/base/parameters.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAuditOf } from '../../lib/people/audit/repository.ts';
import { auditQuery, auditToken, readAuditQuery } from '../../lib/people/audit/requests.ts';
import type { AdministrationServices } from './services.ts';

/** Responds with entries of the audit log, newest first. functions/administration/README.md 7. */
export const getAudit: Endpoint<AdministrationServices> = async (request, { audit }) => {
  const { by, of, max, ...range } = readAuditQuery(parseParameters(auditQuery, request.parameters));
  const { entries, next } = await audit.page(range, max, (entry) => isAuditOf(entry, by, of));
  return ok({ entries, ...(next === undefined ? {} : { next: auditToken(next) }) });
};

/** Responds without a time: what was administered is told to administrators only. functions/administration/README.md 6. */
export const lastAuditTime: Endpoint<AdministrationServices> = async () => ok({ last_audit_time: null });
