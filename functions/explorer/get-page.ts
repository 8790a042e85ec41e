import type { Endpoint } from '../../lib/http/handler-types.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

/** The page loads scripts and styles from this origin only, and sends requests only to it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the explorer page. */
export const getPage: Endpoint<ExplorerServices> = async (request, { files }) =>
  sendFile(request, await files.page(), {
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
  });
