import { strict as assert } from 'node:assert';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** A page that is open, and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Messages of the console that are errors or warnings, and exceptions. */
  readonly problems: readonly string[];
}

/** Time in ms for anything that the page does, on a busy machine. */
const PATIENCE = 20_000;

/** Starts Chromium, which may not sandbox itself as root. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--enable-precise-memory-info'],
  });

/** Opens an address in a new window and waits for the picture, or for what the page says is wrong. */
export async function open(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
  page.setDefaultTimeout(PATIENCE);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(url);
  await page.locator('.picture canvas, [role=alert], .empty, #summary').first().waitFor();
  return { page, problems };
}

/** Fails when axe finds something serious, such as text that has too little contrast. */
export async function checkAccessibility(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  const found = violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    where: nodes.map(({ html }) => html),
  }));
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(serious, [], `axe on ${what}`);
}

/**
 * How many different colors the picture has: an empty one has two or three. Reads a copy, because Chromium warns
 * when a canvas that is not made for it is read again and again.
 */
const colorsOf = (page: Page): Promise<number> =>
  page.evaluate(`{
    const canvas = document.querySelector('.picture canvas');
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    new Set(new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)).size;
  }`);

/** Whether there is a picture of more than so many colors. It comes a frame after the page. */
export async function isDrawn(page: Page, colors: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await colorsOf(page)) > colors) return true;
    await page.waitForTimeout(100);
  }
  return false;
}
