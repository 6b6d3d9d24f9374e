import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { LONG_TESTS } from '../helpers/long.js';

/** Where Chromium is, and whether tests have to run in it. */
export const executablePath =
  process.env['CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
export const required = process.env['GDP_REQUIRE_BROWSER'] === '1';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser; an error where it is required and missing. */
export function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('GDP_REQUIRE_BROWSER=1, but there is no Chromium');
  return chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: 0 });
}

/** The whole page as a picture, for people to look at after long tests; no test reads it. */
export async function pictured(page: Page, path: string): Promise<void> {
  if (LONG_TESTS) await page.screenshot({ path, fullPage: true });
}
