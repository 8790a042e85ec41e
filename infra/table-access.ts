const READING = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'] as const;

/** Of a transaction that writes, each action is asked for by itself. */
const WRITING = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
] as const;

/** What each group of endpoints may do with the table: what it does, no more. Nothing scans. */
const tableActions: ReadonlyMap<string, readonly string[]> = new Map([
  ['products', [...READING, ...WRITING]],
  ['bugs', [...READING, ...WRITING]],
  ['comments', [...READING, ...WRITING]],
  ['comment-tags', [...READING, ...WRITING]],
  // who asks, and the tokens that a login gives and a logout ends
  ['service-info', ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem']],
  // files and a document, whoever asks
  ['explorer', []],
]);

/**
 * The actions on the table that a group of endpoints may use.
 *
 * @param group as in functions/routes.ts
 * @throws Error when nobody has declared them
 */
export function tableActionsOf(group: string): string[] {
  const actions = tableActions.get(group);
  if (actions === undefined) {
    throw new Error(`Which table actions does the group ${group} use? Say so in infra/table-actions.ts`);
  }
  return [...actions];
}
