import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { sendFile } from './send-file.ts';
import type { ExplorerServices } from './services.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Answers a file of the page: for ever, where the address names the version that there is.
 *
 * @throws errors.routeUnknown (404, 32614)
 */
export const getFile: Endpoint<ExplorerServices> = async (request, { files }) => {
  const file = await files.byName(request.pathParameter('file'));
  if (file === undefined) throw errors.routeUnknown(request.method, request.path);
  const isThisVersion = request.parameters.get('v') === file.version;
  return sendFile(request, file, { 'cache-control': isThisVersion ? FOR_EVER : 'no-cache' });
};
