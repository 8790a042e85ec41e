import { lambdaHandler } from '../../lib/http/handler.ts';
import { getDocument } from './get-document.ts';
import { getFile } from './get-file.ts';
import { getPage } from './get-page.ts';
import { routeGroup } from './group.ts';
import { explorerServices } from './services.ts';

export const handler = lambdaHandler(
  routeGroup.routes,
  { getPage, getFile, getDocument },
  explorerServices(process.env),
);
