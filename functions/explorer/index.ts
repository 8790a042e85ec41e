import { lambdaHandler } from '../../lib/http/handler.ts';
import { endpointGroup } from './endpoints.ts';
import { getDocument } from './get-document.ts';
import { getFile, getIcon } from './get-file.ts';
import { getFormerPage, getRobots } from './get-former-pages.ts';
import { getApiPage, getPage } from './get-pages.ts';
import { explorerServices } from './services.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { getPage, getFormerPage, getRobots, getIcon, getApiPage, getFile, getDocument },
  explorerServices(process.env),
);
