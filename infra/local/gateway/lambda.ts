import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import * as z from 'zod';

/** The handler of a Lambda function. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** The entry module of a function. */
const functionModule = z.object({
  handler: z.custom<Handler>((given) => typeof given === 'function', 'must be a function'),
});

/**
 * Loads the handler of a function. The module reads `process.env` while it is loaded.
 *
 * @param url of a module that exports `handler`
 * @throws Error when it does not, or when loading the module fails
 */
export async function loadHandler(url: string): Promise<Handler> {
  return functionModule.parse(await import(url)).handler;
}

/** The timeout that the stack sets. */
const FUNCTION_TIMEOUT_MS = 29_000;

/**
 * The context of one invocation.
 *
 * @param timeoutMs of the function
 */
export function lambdaContext(functionName: string, timeoutMs = FUNCTION_TIMEOUT_MS): Context {
  const awsRequestId = randomUUID();
  const ends = Date.now() + timeoutMs;
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
