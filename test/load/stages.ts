/** A period with a number of concurrent requests. */
export interface Stage {
  seconds: number;
  connections: number;
  /** whether memory is checked */
  isSteady: boolean;
}

/** Ends with all connections, whose memory must not count as growth in the steady stage. */
const RAMP = [1 / 8, 1 / 4, 1 / 2, 1];
const STEADY_SHARE = 0.6;

/** A ramp, then a steady stage for the larger part of the time. */
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
