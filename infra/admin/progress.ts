/** Of long work. */
export interface Progress {
  kind: string;
  done: number;
  /** undefined: not known yet */
  total: number | undefined;
}

const WIDTH = 30;
const REDRAW_INTERVAL_MS = 100;
/** Where output is not redrawn but appended. */
const LINE_INTERVAL_MS = 2_000;

/** Shorter ones estimate nothing. */
const MIN_MEASURED_MS = 3_000;

/** The time that is left at the pace so far, as text. */
function estimate(doneBefore: number, milliseconds: number, done: number, total: number): string {
  if (milliseconds < MIN_MEASURED_MS || done <= doneBefore || done >= total) return '';
  const seconds = ((total - done) * milliseconds) / (done - doneBefore) / 1_000;
  return seconds < 90
    ? `, about ${Math.ceil(seconds)} s left`
    : `, about ${Math.ceil(seconds / 60)} min left`;
}

/** A progress bar with an estimate on a terminal; lines elsewhere; nothing with --json. */
export function progressBar(stream: NodeJS.WriteStream, isJson: boolean) {
  let drawnAt = 0;
  let last: Progress | undefined;
  let [startedAt, doneBefore] = [0, 0];
  const draw = (progress: Progress) => {
    const line = `${progress.kind.padEnd(15)} ${partOf(progress)}`;
    stream.write(stream.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  };
  const partOf = ({ done, total }: Progress): string => {
    if (total === undefined) return `${done} so far`;
    const share = total === 0 ? 1 : done / total;
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    return `${bar} ${done} of ${total}${estimate(doneBefore, Date.now() - startedAt, done, total)}`;
  };
  const end = () => {
    if (!isJson && stream.isTTY && last !== undefined) stream.write('\n');
  };
  const note = (line: string) => {
    if (isJson) return;
    end();
    stream.write(`${line}\n`);
  };
  return {
    /** prints a line beside the bar */
    note,
    end,
    report(progress: Progress): void {
      const isNewKind = last !== undefined && last.kind !== progress.kind;
      if (!isJson && stream.isTTY && isNewKind) stream.write('\n');
      // The table may be scanned several times.
      const isNew = isNewKind || last === undefined || progress.done < last.done;
      if (isNew) [startedAt, doneBefore] = [Date.now(), progress.done];
      last = progress;
      const interval = stream.isTTY ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS;
      const isDue = Date.now() - drawnAt >= interval || progress.done === progress.total;
      if (isJson || !isDue) return;
      drawnAt = Date.now();
      draw(progress);
    },
  };
}
