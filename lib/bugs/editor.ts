import type { Caller } from '../people/caller.ts';

/** Who changes bugs, with the rights that settings decide. */
export interface Editor {
  caller: Caller;
  isTimeTracker: boolean;
  isInsider: boolean;
  isTagger: boolean;
  /** the name of the group that sees private comments and attachments; '' where there is none */
  insiderGroup: string;
  /** the status of bugs that become duplicates, where the workflow has it */
  duplicateStatus: string;
  /** address of this deployment, as `https://bugs.example.org/` */
  base: string;
}
