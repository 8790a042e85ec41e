import { BugzillaError, errors, FormerInterfaceError, MovedError } from '../../errors.ts';
import type { ServiceLogger } from '../../logger.ts';
import type { Settings } from '../../settings.ts';
import { isDenied, isUnavailable } from '../../table/errors.ts';
import { BugzillaRequest, baseAddress, requestIdOf } from '../request.ts';
import { errorPage, wantsPage } from '../response/error-page.ts';
import { COMMON_HEADERS, type GatewayResponse, type Middleware } from '../response/gateway-response.ts';

interface ErrorServices {
  settings: Pick<Settings, 'DOCUMENTATION_URL' | 'LEFT_OUT_GROUPS'>;
  logger: ServiceLogger;
}

/**
 * Turns any error into a response in Bugzilla's format. Errors that the client did not cause are logged once, with
 * their cause.
 *
 * @example middy(endpoint).use(errorResponse(services))
 */
export const errorResponse = ({ settings, logger }: ErrorServices): Middleware => ({
  onError: (state) => {
    const requestId = requestIdOf(state.event, state.context.awsRequestId);
    const error = toBugzillaError(state.error, requestId);
    if (error !== state.error) logger.error(error.message, { requestId, cause: state.error });
    const response = toErrorResponse(error, settings.DOCUMENTATION_URL);
    const hasPages = !settings.LEFT_OUT_GROUPS.includes('explorer');
    const { event } = state;
    const request = hasPages && event instanceof BugzillaRequest ? event : undefined;
    state.response = request === undefined ? response : readable(request, error, response);
  },
});

/** The response as a page where a browser asks for one, and is not led on. */
function readable(
  request: BugzillaRequest,
  error: BugzillaError,
  response: GatewayResponse,
): GatewayResponse {
  const isPage = wantsPage(request) && response.headers?.['location'] === undefined;
  if (!isPage || !hasBaseAddress(request)) return response;
  const page = errorPage(
    request,
    error.status,
    TITLES.get(error.status) ?? 'This did not work',
    error.message,
  );
  return { ...page, headers: { ...response.headers, ...page.headers } };
}

/** Whether the header `Host` is a host: links of a page begin with it. */
function hasBaseAddress(request: BugzillaRequest): boolean {
  try {
    return baseAddress(request) !== '';
  } catch {
    return false;
  }
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [401, 'You may not see this'],
  [404, 'This is not here'],
]);

const RETRY_AFTER_SECONDS = '2';
/** An import takes long, and each process looks once a minute whether it has ended. */
const RETRY_AFTER_IMPORT_SECONDS = '60';

function toErrorResponse(error: BugzillaError, documentation: string): GatewayResponse {
  if (error instanceof FormerInterfaceError) return rpcFault(error);
  const headers: Record<string, string> = { ...COMMON_HEADERS };
  if (error.status === 503) {
    headers['retry-after'] = error.name === 'import_runs' ? RETRY_AFTER_IMPORT_SECONDS : RETRY_AFTER_SECONDS;
  }
  if (error instanceof MovedError) headers['location'] = error.location;
  const body = { error: true, code: error.code, message: error.message, documentation };
  return { statusCode: error.status, headers, body: JSON.stringify(body), isBase64Encoded: false };
}

function toBugzillaError(error: unknown, requestId: string): BugzillaError {
  if (error instanceof BugzillaError) return error;
  if (isDenied(error)) return errors.notPermitted(requestId);
  return isTransient(error) ? errors.unavailable() : errors.internal(requestId);
}

/** Errors of writes that may succeed later. */
const TRANSIENT = new Set([
  'RetriesExhausted',
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

const isTransient = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Error && TRANSIENT.has(error.name));

/** An error of a former interface in its own protocol, which clients show to their users: that the interface is REST now. */
function rpcFault({ kind, code, message: text }: FormerInterfaceError): GatewayResponse {
  const isXml = kind === 'XML-RPC';
  return {
    statusCode: 200,
    headers: { ...COMMON_HEADERS, ...(isXml ? { 'content-type': 'text/xml; charset=UTF-8' } : {}) },
    body: isXml
      ? xmlFault(code, text)
      : JSON.stringify({ error: { code, message: text }, id: null, result: null }),
    isBase64Encoded: false,
  };
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const xmlFault = (code: number, text: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?><methodResponse><fault><value><struct>' +
  `<member><name>faultCode</name><value><int>${code}</int></value></member>` +
  `<member><name>faultString</name><value><string>${text.replaceAll(/[&<>]/g, (one) => ESCAPED[one] ?? '')}</string></value></member>` +
  '</struct></value></fault></methodResponse>';
