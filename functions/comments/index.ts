import { lambdaHandler } from '../../lib/http/handler.ts';
import { createComment } from './create-comment.ts';
import { getComments } from './get-comments.ts';
import { group } from './group.ts';
import { commentServices } from './services.ts';

export const handler = lambdaHandler(
  group.routes,
  { getComments, createComment },
  commentServices(process.env),
);
