import { existsSync } from 'node:fs';

// Runs a script of this project in this process: `node infra/run.js SCRIPT ARGUMENTS`. Any version of Node understands this
// file, so that who has not installed the packages, with the Node among them, gets a sentence and not an error of the loader.
const MIN_NODE = 24;
const project = new URL('../', import.meta.url);
const isInstalled = existsSync(new URL('node_modules/.package-lock.json', project));
if (!isInstalled || Number.parseInt(process.versions.node, 10) < MIN_NODE) {
  console.error(
    `The packages of this project, Node ${MIN_NODE} among them, are not installed: run npm ci first.`,
  );
  process.exit(1);
}
// As if the script had been called itself.
process.argv.splice(1, 1);
await import(new URL(process.argv[1] ?? '', project).href);
