import { runCommand } from './run-command.ts';

// A reader that ends before the output does, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** `npm run admin -- <command>`: the operator's tool. */
process.exitCode = await runCommand(process.argv.slice(2));
