/** Of long work. */
export interface Progress {
  kind: string;
  done: number;
  /** undefined: not known yet */
  total: number | undefined;
}

const WIDTH = 30;
const REDRAW_INTERVAL_MS = 100;
/** Where output is not redrawn but appended, as in the log of a scheduled job. */
const LINE_INTERVAL_MS = 60_000;

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

/** A progress bar for each kind on a terminal; a line a minute elsewhere; nothing with --json. Both have an estimate. */
export function progressBar(stream: NodeJS.WriteStream, isJson: boolean) {
  let drawnAt = stream.isTTY ? 0 : Date.now();
  let last: Progress | undefined;
  let [startedAt, doneBefore] = [0, 0];
  const draw = (progress: Progress) => {
    const { kind, done, total } = progress;
    const part = total === undefined ? `${done} so far` : `${done} of ${total}${estimateOf(done, total)}`;
    stream.write(
      stream.isTTY ? `\r${kind.padEnd(15)} ${barOf(progress)}${part}\u001b[K` : `${kind}: ${part}\n`,
    );
  };
  const estimateOf = (done: number, total: number) =>
    estimate(doneBefore, Date.now() - startedAt, done, total);
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
      const passed = Date.now() - drawnAt;
      const isDue = stream.isTTY
        ? passed >= REDRAW_INTERVAL_MS || progress.done === progress.total
        : passed >= LINE_INTERVAL_MS;
      if (isJson || !isDue) return;
      drawnAt = Date.now();
      draw(progress);
    },
  };
}

function barOf({ done, total }: Progress): string {
  if (total === undefined) return '';
  const share = total === 0 ? 1 : done / total;
  return `${'█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')} `;
}
