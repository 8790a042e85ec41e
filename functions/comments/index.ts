import { lambdaHandler } from '../../lib/http/handler.ts';
import { createComment } from './create-comment.ts';
import { endpointGroup } from './endpoints.ts';
import { getComments } from './get-comments.ts';
import { commentServices } from './services.ts';

export const handler = lambdaHandler(
  endpointGroup.routes,
  { getComments, createComment },
  commentServices(process.env),
);
