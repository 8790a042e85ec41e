/** How far some work is. */
interface Progress {
  kind: string;
  done: number;
  /** as far as is known */
  total: number;
  hasMore?: boolean;
}

const WIDTH = 30;
const REDRAWS_EACH_MILLISECONDS = 100;

/** Draws a bar on a terminal, a line now and then elsewhere; nothing where machines read. */
export function progressBar(
  stream: NodeJS.WriteStream,
  isJson: boolean,
): {
  report: (progress: Progress) => void;
  end(): void;
} {
  let drawn = 0;
  let last: Progress | undefined;
  const draw = (progress: Progress) => {
    const { kind, done, total, hasMore = false } = progress;
    const share = total === 0 ? 1 : done / total;
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const line = `${kind.padEnd(15)} ${bar} ${done} of ${total}${hasMore ? ' and more' : ''}`;
    stream.write(stream.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  };
  return {
    report(progress) {
      const isNewKind = last !== undefined && last.kind !== progress.kind;
      if (!isJson && stream.isTTY && isNewKind) stream.write('\n');
      last = progress;
      const each = stream.isTTY ? REDRAWS_EACH_MILLISECONDS : 20 * REDRAWS_EACH_MILLISECONDS;
      const isDue = Date.now() - drawn >= each || progress.done === progress.total;
      if (isJson || !isDue) return;
      drawn = Date.now();
      draw(progress);
    },
    end() {
      if (!isJson && stream.isTTY && last !== undefined) stream.write('\n');
    },
  };
}
