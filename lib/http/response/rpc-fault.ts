import type { FormerInterfaceError } from '../../errors.ts';
import type { GatewayResponse } from './gateway-response.ts';
import { COMMON_HEADERS } from './headers.ts';

/** An error of a former interface in its own protocol, which clients show to their users: that the interface is REST now. */
export function rpcFault({ kind, code, message: text }: FormerInterfaceError): GatewayResponse {
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
