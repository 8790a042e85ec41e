import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { AdministrationServices } from './services.ts';

/** Responds without a time: what was administered is told to administrators only. functions/administration/README.md 6. */
export const lastAuditTime: Endpoint<AdministrationServices> = async () => ok({ last_audit_time: null });
