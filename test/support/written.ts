import { vi } from 'vitest';

/** The console output while `work` runs; Powertools has a console of its own, which writes to the streams. */
export async function written(work: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const keep = (...parts: unknown[]) => {
    lines.push(parts.map(String).join(' '));
    return true;
  };
  for (const method of ['log', 'info', 'error', 'warn', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation(keep);
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  await work().finally(vi.restoreAllMocks);
  return lines.join('\n');
}

/** The lines of JSON in an output. */
export const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
