import { lambdaHandler } from '../../lib/http/handler.ts';
import { commentServices } from '../../lib/services.ts';
import { createBug } from './create-bug.ts';
import { getBug, listBugs } from './get-bugs.ts';
import { routes } from './routes.ts';
import { updateBug } from './update-bug.ts';

const endpoints = { listBugs, getBug, createBug, updateBug };

export const handler = lambdaHandler(routes, endpoints, commentServices(process.env));
