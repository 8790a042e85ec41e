import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ICON } from './assets.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Returns a file of the page. It is cacheable without limit when the URL has the current version as `v`. */
export const getFile: Endpoint<ExplorerServices> = async (request, { files }) => {
  const file = await files.byName(request.pathParameter('file'));
  if (file === undefined) throw errors.routeUnknown(request.method, request.path);
  const isThisVersion = request.parameters.get('v') === file.version;
  return sendFile(request, file, { 'cache-control': isThisVersion ? IMMUTABLE : 'no-cache' });
};

/** Returns the icon, which browsers ask for beside documents that name none. */
export const getIcon: Endpoint<ExplorerServices> = async (request, { files }) => {
  const icon = await files.byName(ICON.name);
  if (icon === undefined) throw errors.routeUnknown(request.method, request.path);
  return sendFile(request, icon, { 'cache-control': 'public, max-age=86400' });
};
