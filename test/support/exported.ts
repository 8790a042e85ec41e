import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exportCatalogue } from '../../lib/catalogue/export.ts';
import type { Table } from '../../lib/dynamodb/client.ts';

/** The export of a table, as a file has it. */
export const exported = (table: Table): Promise<string> => text(Readable.from(exportCatalogue(table)));
