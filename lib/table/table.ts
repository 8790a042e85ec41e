/**
 * The one definition of the table: CDK, the local server and the tests create it from here.
 * Every item has a partition key `pk` and a sort key `sk`; items that end by themselves carry
 * `expires_at` (seconds since 1970).
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'expires_at',
} as const;
