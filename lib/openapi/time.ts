import * as z from 'zod/mini';
import { describe } from './metadata.ts';

/** A time in responses. functions/README.md 5. */
export const time = (description: string) => describe(description, z.iso.datetime({ precision: 0 }));
