/** Replaces `node:process` in the bundles: importing its namespace reads all of its exports, among them the standard streams. */
export const { env, versions } = process;
