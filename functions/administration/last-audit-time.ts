import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { AdministrationServices } from './services.ts';

/** Bugless keeps no audit log. */
export const lastAuditTime: Endpoint<AdministrationServices> = async () => ok({ last_audit_time: null });
