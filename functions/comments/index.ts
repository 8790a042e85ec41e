import { lambdaHandler } from '../../lib/http/handler.ts';
import { commentServices } from '../../lib/services.ts';
import { createComment } from './create-comment.ts';
import { getComments } from './get-comments.ts';
import { routes } from './routes.ts';

export const handler = lambdaHandler(routes, { getComments, createComment }, commentServices(process.env));
