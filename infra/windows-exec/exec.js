#!/usr/bin/env node
import { spawn } from 'node:child_process';

// npm scripts begin with `exec`, so that signals reach the command itself. POSIX shells have it built in; on Windows this
// takes its place.
const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: 'inherit', shell: true });
child.once('exit', (code) => process.exit(code ?? 1));
