import { catalogueJsonSchema } from '../../../lib/catalogue/schema.ts';
import { type Command, readArguments } from '../usage.ts';

/** Prints the JSON Schema of catalogue files, for editors. */
export const schema: Command = {
  words: ['schema'],
  parameters: '',
  help: 'print the JSON Schema of catalogue files',
  async run(args) {
    readArguments(args, [], {});
    console.log(JSON.stringify(catalogueJsonSchema(), undefined, 2));
  },
};
