import { type Browser, chromium, firefox } from 'playwright-core';
import { expect } from 'vitest';
import { isTested, programOf } from './programs.ts';

/** The shell, which is Chromium without its windows, takes a third of the processor time. */
const CHROMIUM = programOf('chromium-headless-shell', 'chromium');
const FIREFOX = programOf('firefox-esr');

/** Whether Chromium is installed. */
export const hasBrowser = (): boolean =>
  isTested(CHROMIUM !== undefined, 'in Chromium', 'chromium-headless-shell');

/** Starts a headless browser with an empty profile and without background requests. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? expect.fail('There is no browser'),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Whether Firefox ESR is installed. */
export const hasFirefox = (): boolean => isTested(FIREFOX !== undefined, 'in Firefox', 'firefox-esr');

/** Starts Firefox ESR as Debian has it, by WebDriver BiDi. */
export const startFirefox = (): Promise<Browser> =>
  firefox.launch({
    executablePath: FIREFOX ?? expect.fail('There is no Firefox'),
    channel: 'moz-firefox',
    headless: true,
  });

/** What Firefox ESR cannot be told: it does not know the command by which these are set. */
export const NO_MEDIA = {
  colorScheme: null,
  reducedMotion: null,
  forcedColors: null,
  contrast: null,
} as const;
