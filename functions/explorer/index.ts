import { lambdaHandler } from '../../lib/http/handler.ts';
import { endpointGroup } from './endpoints.ts';
import { getDocument } from './get-document.ts';
import { getFile } from './get-file.ts';
import { getPage } from './get-page.ts';
import { explorerServices } from './services.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { getPage, getFile, getDocument },
  explorerServices(process.env),
);
