import * as z from 'zod/mini';
import { describe } from './metadata.ts';

/** A time as answers have it. SPEC.md 2.5 (to the second, in UTC). */
export const time = (description: string) => describe(description, z.iso.datetime({ precision: 0 }));
