/**
 * Replaces `node:http` in the bundles: importing its namespace reads all of its exports, one of which loads undici, and
 * so takes a third of a cold start.
 */
const http = process.getBuiltinModule('node:http');

export const { Agent, request, STATUS_CODES } = http;
export default http;
