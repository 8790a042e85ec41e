import * as z from 'zod/mini';
import { told } from './metadata.ts';

/** A time as answers have it. SPEC.md 2.5 (to the second, in UTC). */
export const time = (description: string) => told(description, z.iso.datetime({ precision: 0 }));
