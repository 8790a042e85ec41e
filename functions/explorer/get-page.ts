import type { Endpoint } from '../../lib/http/handler-types.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

/** The page takes scripts and styles from here only, and speaks to nobody else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers the explorer page. */
export const getPage: Endpoint<ExplorerServices> = async (request, { files }) =>
  sendFile(request, await files.page(), {
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  });
