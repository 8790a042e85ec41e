/** A time in which so many requests are under way at once. */
export interface Stage {
  seconds: number;
  connections: number;
  /** whether it is the one by which memory is judged */
  isSteady: boolean;
}

/** Up to all of them: connections take memory too, which is not to be taken for growth afterwards. */
const RAMP = [1 / 8, 1 / 4, 1 / 2, 1];
const STEADY_SHARE = 0.6;

/** First ever more at once, then as many for the larger part of the time. */
export function stagesOf(seconds: number, connections: number): Stage[] {
  const ramp = [...new Set(RAMP.map((share) => Math.max(1, Math.round(share * connections))))];
  return [
    ...ramp.map((fewer) => ({
      seconds: (seconds * (1 - STEADY_SHARE)) / ramp.length,
      connections: fewer,
      isSteady: false,
    })),
    { seconds: seconds * STEADY_SHARE, connections, isSteady: true },
  ];
}
