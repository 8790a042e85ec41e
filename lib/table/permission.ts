/** Actions that a function performs on items of the table. */
export interface TablePermission {
  /** IAM actions, such as `dynamodb:GetItem` */
  actions: readonly string[];
  /** patterns of the partition keys, in IAM's `StringLike` syntax */
  partitions: readonly string[];
}
