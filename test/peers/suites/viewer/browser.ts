import { strict as assert } from 'node:assert';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** An open page, and its errors. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions. */
  readonly problems: readonly string[];
}

/** Time in ms for each action of the page, on a busy machine. */
const PATIENCE = 20_000;

/** Starts Chromium, which may not sandbox itself as root. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? 'chromium',
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--enable-precise-memory-info'],
  });

/** Opens an address in a new window and waits for the picture, or for the page's error message. */
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

/** Fails if axe finds a serious problem, such as too little contrast. */
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
 * Number of different colors in the picture: an empty one has two or three. Reads a copy, because Chromium warns when a
 * canvas without that option is read repeatedly.
 */
const colorsOf = (page: Page): Promise<number> =>
  page.evaluate(`{
    const canvas = document.querySelector('.picture canvas');
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    new Set(new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)).size;
  }`);

/** Whether the picture has more than this number of colors. It appears a frame after the page. */
export async function isDrawn(page: Page, colors: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await colorsOf(page)) > colors) return true;
    await page.waitForTimeout(100);
  }
  return false;
}
