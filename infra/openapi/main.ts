import { writeFileSync } from 'node:fs';
import { describeInterface } from '../../functions/openapi.ts';
import { settingsSchema } from '../../lib/settings.ts';

const [file, ...others] = process.argv.slice(2);
if (others.length > 0 || file?.startsWith('-')) {
  console.error(
    'Usage: npm run openapi [-- FILE]\n\nWrites the OpenAPI document to the file, or to standard output.',
  );
  process.exit(2);
}

const documentationUrl = settingsSchema.shape.DOCUMENTATION_URL.parse(undefined);
const text = `${JSON.stringify(describeInterface(documentationUrl), undefined, 2)}\n`;
// The reader of a pipe, such as `head`, may end before the document does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
