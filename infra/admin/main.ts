import { runCommand } from './run-command.ts';

/** `npm run admin -- <command>`: the operator's tool. */
process.exitCode = await runCommand(process.argv.slice(2));
