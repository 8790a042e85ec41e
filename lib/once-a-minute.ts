const MINUTE_MS = 60_000;
/** Of what is remembered: then it is forgotten, and may be said again. */
const MAX_NAMES = 1_000;

/**
 * Whether something is to be said again: the first time, and a minute after it was said last, in this process.
 *
 * @returns a function that gets a name of what is said
 */
export function onceAMinute(now: () => Date): (what: string) => boolean {
  const said = new Map<string, number>();
  return (what) => {
    const time = now().getTime();
    const last = said.get(what);
    if (last !== undefined && time - last < MINUTE_MS) return false;
    if (said.size >= MAX_NAMES) said.clear();
    said.set(what, time);
    return true;
  };
}
