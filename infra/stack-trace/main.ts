import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { consumers } from '../../functions/consumers.ts';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { withSourcePositions } from './source-positions.ts';

const names: readonly string[] = [...endpointGroups, ...consumers].map(({ name }) => name);

const USAGE = `Usage: npm run -s stack-trace -- FUNCTION [CDK_OUT] < FILE

Translates minified stack traces of a function with the source map that \`cdk synth\` or
\`cdk deploy\` of the same version has written to CDK_OUT/source-maps (default: cdk.out/source-maps).

Functions: ${names.join(', ')}`;

const [name = '', folder = 'cdk.out', ...others] = process.argv.slice(2);
if (others.length > 0 || !names.includes(name)) {
  console.error(USAGE);
  process.exit(2);
}
const map: unknown = JSON.parse(readFileSync(`${folder}/source-maps/${name}.mjs.map`, 'utf8'));
process.stdout.write(withSourcePositions(await text(process.stdin), map));
