import { existsSync } from 'node:fs';
import { type Browser, chromium, firefox } from 'playwright-core';
import { expect } from 'vitest';

/** The shell, which is Chromium without its windows, takes a third of the processor time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
const FIREFOX = '/usr/bin/firefox-esr';

/** Whether a browser is installed; warns otherwise. */
export function hasBrowser(untested: string): boolean {
  const found = CHROMIUM !== undefined;
  if (!found)
    console.warn(`SKIPPED: ${untested} is not tested in a browser. apt-get install chromium-headless-shell`);
  return found;
}

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

/** Whether Firefox ESR is installed; warns otherwise. */
export function hasFirefox(untested: string): boolean {
  const found = existsSync(FIREFOX);
  if (!found) console.warn(`SKIPPED: ${untested} is not tested in Firefox. apt-get install firefox-esr`);
  return found;
}

/** Starts Firefox ESR as Debian has it, by WebDriver BiDi. */
export const startFirefox = (): Promise<Browser> =>
  firefox.launch({ executablePath: FIREFOX, channel: 'moz-firefox', headless: true });
