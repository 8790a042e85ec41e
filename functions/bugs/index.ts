import { lambdaHandler } from '../../lib/http/handler.ts';
import { commentServices } from '../../lib/services.ts';
import { createBug } from './create-bug.ts';
import { getBug, listBugs } from './get-bugs.ts';
import { group } from './group.ts';
import { updateBug } from './update-bug.ts';

const endpoints = { listBugs, getBug, createBug, updateBug };

export const handler = lambdaHandler(group.routes, endpoints, commentServices(process.env));
