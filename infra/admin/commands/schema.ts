import type { Command } from 'commander';
import { catalogueJsonSchema } from '../../../lib/catalogue/schema.ts';

/** `schema` */
export const schemaCommand = (program: Command): Command =>
  program
    .command('schema')
    .description('print the JSON Schema of catalogue files, for editors')
    .action(() => console.log(JSON.stringify(catalogueJsonSchema(), undefined, 2)));
