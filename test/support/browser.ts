import { existsSync } from 'node:fs';
import { type Browser, chromium, firefox } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const FIREFOX = '/usr/bin/firefox-esr';

/** Whether a browser is installed; warns otherwise. */
export function hasBrowser(untested: string): boolean {
  const found = existsSync(CHROMIUM);
  if (!found) console.warn(`SKIPPED: ${untested} is not tested in a browser. apt-get install chromium`);
  return found;
}

/** Starts a headless browser with an empty profile and without background requests. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
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
