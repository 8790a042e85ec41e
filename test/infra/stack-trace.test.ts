import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { withSourcePositions } from '../../infra/stack-trace/source-positions.ts';
import { inNewFolder } from '../support/start-process.ts';

const MAIN = join(import.meta.dirname, '../../infra/stack-trace/main.ts');

const SOURCE = `import { fail } from './fail.ts';

export function handle(request: { path: string }): void {
  if (request.path !== '') fail(request.path);
}
handle({ path: '/rest/bug' });
`;
const FAIL = `interface Unused {
  a: string;
}
export function fail(text: Unused['a']): never {
  const message = \`No \${text}\`;
  throw new Error(message);
}
`;

/** A minified bundle in `folder/out`, its source map, and its stack trace. */
async function bundleThatFails(folder: string) {
  mkdirSync(join(folder, 'functions/comments'), { recursive: true });
  writeFileSync(join(folder, 'functions/comments/index.ts'), SOURCE);
  writeFileSync(join(folder, 'functions/comments/fail.ts'), FAIL);
  const outfile = join(folder, 'out/index.mjs');
  await build({
    entryPoints: [join(folder, 'functions/comments/index.ts')],
    outfile,
    bundle: true,
    minify: true,
    sourcemap: true,
    format: 'esm',
  });
  const { stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
  return { trace: stderr, map: JSON.parse(readFileSync(`${outfile}.map`, 'utf8')) };
}

describe('a minified stack trace', () => {
  it('is translated to files and lines of the sources', () =>
    inNewFolder(async (folder) => {
      const { trace, map } = await bundleThatFails(folder);
      expect(trace).not.toContain('fail.ts');
      const translated = withSourcePositions(trace, map);
      expect(translated).toMatch(/functions\/comments\/fail\.ts:6:\d+/);
      expect(translated).toMatch(/functions\/comments\/index\.ts:6:\d+/);
      expect(withSourcePositions('nothing to translate', map)).toBe('nothing to translate');
    }));

  it('is translated by npm run stack-trace, also inside a JSON log line', () =>
    inNewFolder(async (folder) => {
      const { trace, map } = await bundleThatFails(folder);
      mkdirSync(join(folder, 'cdk.out/source-maps'), { recursive: true });
      writeFileSync(join(folder, 'cdk.out/source-maps/comments.mjs.map'), JSON.stringify(map));
      const line = `${JSON.stringify({ level: 'ERROR', error: { stack: trace } })}\n`;
      const printed = execFileSync(process.execPath, [MAIN, 'comments'], { cwd: folder, input: line });
      expect(JSON.parse(printed.toString()).error.stack).toContain('functions/comments/fail.ts:6:');
    }));

  it.each([[[]], [['nosuch']], [['comments', 'cdk.out', 'more']]])(
    'is refused with the usage for %j',
    (args) => {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
      expect(status).toBe(2);
      expect(stderr).toContain('Usage: npm run -s stack-trace');
    },
  );
});
