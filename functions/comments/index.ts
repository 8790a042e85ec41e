import { lambdaHandler } from '../../lib/http/handler.ts';
import { createComment } from './create-comment.ts';
import { getComments } from './get-comments.ts';
import { routeGroup } from './group.ts';
import { commentServices } from './services.ts';

export const handler = lambdaHandler(
  routeGroup.routes,
  { getComments, createComment },
  commentServices(process.env),
);
