import { strict as assert } from 'node:assert';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { checkAccessibility, isDrawn, open } from './browser.js';
import { mockri, scenarioPage, scratch } from './commands.js';

/** Pictures in the documentation: scenario, and the part of the address that selects the view. */
const PICTURES: readonly (readonly [string, string])[] = [
  ['crash-loop-back-off', ''],
  ['runtime-hang', ''],
  ['evented-event-lost', ''],
  ['kubelet-restart', ''],
];

/** Size of a picture in pixels. */
const SIZE = { width: 1160, height: 600 };

/** Largest picture in bytes. */
const LARGEST = 180_000;

/** Opens the page of every incident, or of those with these names: no errors, and a visible picture. */
export async function checkIncidents(browser: Browser, only: readonly string[]): Promise<string> {
  const list = (await mockri('simulate', '--list', '--json')).trim().split('\n');
  const all = list.map((line) => JSON.parse(line) as { name: string; title: string });
  assert(all.length >= 36, `${all.length} incidents`);
  const names = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  const directory = process.env.UPDATE_DOCS ? 'docs/timeline' : join(scratch, 'pictures');
  mkdirSync(directory, { recursive: true });
  let next = scenarioPage(names[0]?.name ?? '');
  for (const [index, { name, title }] of names.entries()) {
    const url = await next;
    // Simulates one while the previous one is checked.
    next = scenarioPage(names[index + 1]?.name ?? name);
    const picture = PICTURES.find(([each]) => each === name);
    const { page, problems } = await open(browser, `${url}#${picture?.[1] ?? ''}`);
    assert.equal(await page.locator('h1').textContent(), title);
    assert(!(await page.locator('[role=alert]').count()), `${name}: the page has a problem`);
    assert(await isDrawn(page, 15), `${name}: the picture is empty`);
    assert((await page.locator('.moment').count()) > 2, `${name}: nothing is said`);
    if (picture !== undefined) {
      const path = join(directory, `${name}.png`);
      await page.setViewportSize(SIZE);
      await page.screenshot({ path });
      assert(statSync(path).size < LARGEST, `${path} has ${statSync(path).size} bytes`);
      await checkAccessibility(page, name);
    }
    assert.deepEqual(problems, [], name);
    await page.close();
  }
  await next;
  return `${names.length} incidents`;
}
