import type { Table } from '../../lib/table/client.ts';

/**
 * A table whose commands may fail before they are sent.
 *
 * @param isInterrupted called with the name of each command, such as `PutCommand`; true: it fails with the error `interrupted`
 */
export const interruptedTable = (table: Table, isInterrupted: (command: string) => boolean): Table => ({
  ...table,
  client: new Proxy(table.client, {
    get: (client, name) =>
      name !== 'send'
        ? Reflect.get(client, name)
        : (command: { constructor: { name: string } }) => {
            if (isInterrupted(command.constructor.name)) throw new Error('interrupted');
            return Reflect.apply(client.send, client, [command]);
          },
  }),
});
