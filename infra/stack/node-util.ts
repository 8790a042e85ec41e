/** Replaces `node:util` in the bundles: importing its namespace reads all of its exports, which loads modules that are not used. */
export const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
