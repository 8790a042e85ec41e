import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { withSourcePositions } from './source-positions.ts';

const USAGE = `Usage: npm run -s stack-trace -- GROUP [CDK_OUT] < FILE

Translates minified stack traces of an endpoint group's function with the source map that \`cdk synth\` or
\`cdk deploy\` of the same version has written to CDK_OUT/source-maps (default: cdk.out/source-maps).

Groups: ${endpointGroups.map(({ name }) => name).join(', ')}`;

const [endpointGroup = '', folder = 'cdk.out', ...others] = process.argv.slice(2);
if (others.length > 0 || !endpointGroups.some(({ name }) => name === endpointGroup)) {
  console.error(USAGE);
  process.exit(2);
}
const map: unknown = JSON.parse(readFileSync(`${folder}/source-maps/${endpointGroup}.mjs.map`, 'utf8'));
process.stdout.write(withSourcePositions(await text(process.stdin), map));
