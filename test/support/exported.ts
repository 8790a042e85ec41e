import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exportCatalogue } from '../../lib/catalogue/export.ts';
import type { Table } from '../../lib/table/client.ts';

/** The export of a table, as a file has it. */
export const exported = (table: Table): Promise<string> => text(Readable.from(exportCatalogue(table)));

/** The lines of a catalogue file as one catalogue; its bugs by id, as an export writes them in any order. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at many of its parts
export function catalogueOfLines(file: string): any {
  const lines = file.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const bugs = lines.flatMap(({ bug }) => bug ?? []).sort((one, other) => one.id - other.id);
  for (const { bug_id, ...attachment } of lines.flatMap((line) => line.attachment ?? [])) {
    const { attachments = [], ...bug } = bugs.find(({ id }) => id === bug_id);
    Object.assign(
      bugs.find(({ id }) => id === bug_id),
      { ...bug, attachments: [...attachments, attachment] },
    );
  }
  return { ...lines.find((line) => !('bug' in line || 'attachment' in line)), bugs };
}

/** The export of a table as one catalogue. */
export const exportedCatalogue = async (table: Table) => catalogueOfLines(await exported(table));
