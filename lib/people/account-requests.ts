import * as z from 'zod/mini';
import { param, parameters, text, withDefault } from '../base/parameters.ts';
import { hasInvisibleCharacter } from '../base/text.ts';
import { MAX_LOGIN_LENGTH, textProblem } from './validation.ts';

const MAX_KEY_DESCRIPTION_LENGTH = 255;
const MAX_VERIFIER_LENGTH = 200;
const MAX_BROWSER_LENGTH = 200;
/** Of SHA-256, in hexadecimal digits. */
const CHALLENGE = /^[0-9a-f]{64}$/;

/** functions/account/README.md 1. */
export const signInRequest = parameters({
  login: param(
    text.check(
      z.trim(),
      z.minLength(1, 'it must not be empty'),
      z.maxLength(MAX_LOGIN_LENGTH, 'it is too long'),
    ),
    'A login.',
    { required: true },
  ),
  challenge: param(
    text.check(z.regex(CHALLENGE, 'it must be 64 hexadecimal digits')),
    'Hexadecimal SHA-256 of a random text, the verifier, that the page keeps.',
    { required: true },
  ),
  browser: param(
    withDefault(text.check(z.maxLength(MAX_BROWSER_LENGTH, 'it is too long')), ''),
    'What the last sign-in in this browser has given to it.',
  ),
});

/** functions/account/README.md 1. */
export const sessionRequest = parameters({
  code: param(
    z.pipe(
      text,
      z.transform((given) => given.replaceAll(/[\s-]+/g, '').toUpperCase()),
    ),
    'The code of the mail; case, blanks and dashes do not count.',
    { required: true },
  ),
  verifier: param(
    text.check(z.minLength(32, 'it is too short'), z.maxLength(MAX_VERIFIER_LENGTH, 'it is too long')),
    'The text whose hash was the challenge.',
    { required: true },
  ),
});

/** functions/account/README.md 2. */
export const newApiKeyRequest = parameters({
  description: param(
    withDefault(
      text.check(
        z.maxLength(MAX_KEY_DESCRIPTION_LENGTH, 'it is longer than 255 characters'),
        z.refine(
          (given) =>
            textProblem(given) === undefined && !given.includes('\n') && !hasInvisibleCharacter(given),
          'it has control or invisible characters',
        ),
      ),
      '',
    ),
    'What the key is for; at most 255 characters, on one line.',
  ),
});
