import type { Endpoint } from '../../lib/http/handler-types.ts';
import { API_PAGE, BUG_PAGE, type ServedAsset } from './assets.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

/** Pages load scripts and styles from this origin only, and send requests and forms only to it. */
const contentSecurityPolicy = (importMapSource: string) =>
  [
    "default-src 'none'",
    `script-src 'self' ${importMapSource}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageEndpoint =
  (asset: ServedAsset): Endpoint<ExplorerServices> =>
  async (request, { files }) => {
    const page = await files.page(asset);
    return sendFile(request, page, {
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy(page.importMapSource),
      'referrer-policy': 'no-referrer',
    });
  };

/** Returns the page that shows a bug, a list of bugs, or the products, as its address says. */
export const getBugPage = pageEndpoint(BUG_PAGE);

/** Returns the API explorer. */
export const getApiPage = pageEndpoint(API_PAGE);
