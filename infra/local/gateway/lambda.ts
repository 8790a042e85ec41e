import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import * as z from 'zod';

/** A function's handler. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** A module that a function runs. */
const functionModule = z.object({
  handler: z.custom<Handler>((given) => typeof given === 'function', 'a function is wanted'),
});

/**
 * Loads what a function runs. It reads its environment while it is loaded.
 *
 * @param url of a module with an export `handler`
 * @throws Error when it has none, and what the module throws
 */
export async function loadHandler(url: string): Promise<Handler> {
  return functionModule.parse(await import(url)).handler;
}

/** As the stack sets it. */
const FUNCTION_TIMEOUT_MILLISECONDS = 29_000;

/** The context that Lambda gives to one invocation. */
export function lambdaContext(functionName: string): Context {
  const awsRequestId = randomUUID();
  const ends = Date.now() + FUNCTION_TIMEOUT_MILLISECONDS;
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: awsRequestId,
    getRemainingTimeInMillis: () => Math.max(0, ends - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
