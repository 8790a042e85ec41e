/** A time as the interface shows it: `YYYY-MM-DDThh:mm:ssZ`. SPEC.md 2.5. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
