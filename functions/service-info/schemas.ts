import * as z from 'zod';
import { optional, text, texts } from '../../lib/http/parameters.ts';

export const validLoginQuery = z.object({
  login: optional(text).describe('Login name to compare with that of the credentials.'),
});

export const userQuery = z.object({
  ids: texts.describe('User ids.'),
  names: texts.describe('Login names, in any case.'),
});
