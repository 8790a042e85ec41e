/** How long checks are left out after IAM has denied one. */
const LEFT_OUT_MS = 60_000;

export type DeniedChecks = ReturnType<typeof deniedChecks>;

/**
 * Remembers that IAM denies what transactions check beside their writes. Policies change before functions: while an earlier
 * version is deployed for a rollback, its policies allow the writes of this version, but not its checks, and that version
 * itself writes without them.
 *
 * @param onDenied called with a message, once for each time that they are left out
 */
export function deniedChecks(onDenied: (message: string) => void = () => undefined) {
  let leftOutUntil = Number.NEGATIVE_INFINITY;
  return {
    areLeftOut: (): boolean => performance.now() < leftOutUntil,

    leaveOut(): void {
      leftOutUntil = performance.now() + LEFT_OUT_MS;
      onDenied(
        `IAM denies what transactions check: for ${LEFT_OUT_MS / 1_000} s bugs are written without, as by the version whose policies are deployed`,
      );
    },
  };
}
