import { strict as assert } from 'node:assert';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { checkAccessibility, isDrawn, open } from './browser.js';
import { fileOf, mockri, mockriFails, scenarioPage, scratch } from './commands.js';
import { failurePage } from './pictures.js';

/** The seconds in the page's address. */
function shown(page: Page): readonly [number, number] {
  const [, from = 'NaN', to = 'NaN'] = /t=(-?[\d.]+)(?:~|%7E)(-?[\d.]+)/.exec(new URL(page.url()).hash) ?? [];
  return [Number(from), Number(to)];
}

/** Does something, and waits until the address names another part of the tape. */
async function moved(page: Page, act: () => Promise<unknown>): Promise<readonly [number, number]> {
  const before = String(shown(page));
  await act();
  for (let tries = 100; String(shown(page)) === before; tries--) {
    assert(tries > 0, `nothing moved: ${page.url()}`);
    await page.waitForTimeout(50);
  }
  // On a busy machine a movement may pause.
  for (let last = ''; last !== String(shown(page)); ) {
    last = String(shown(page));
    await page.waitForTimeout(500);
  }
  return shown(page);
}

const length = ([from, to]: readonly [number, number]): number => to - from;

/** Zoom, pan, search, filters, selection, address, theme, table, print, narrow screens. */
export async function checkFeatures(browser: Browser): Promise<string> {
  const url = await scenarioPage('start-hangs');
  const { page, problems } = await open(browser, url, { hasTouch: true });
  const canvas = page.locator('.picture canvas');
  await canvas.focus();
  const whole = await moved(page, () => page.keyboard.press('0'));
  const closer = await moved(page, () => page.keyboard.press('+'));
  assert(length(closer) < length(whole));
  const right = await moved(page, () => page.keyboard.press('ArrowRight'));
  assert(right[0] > closer[0] && Math.abs(length(right) - length(closer)) < 0.01);
  assert.deepEqual(await moved(page, () => page.keyboard.press('0')), whole);
  // Caps Lock.
  assert(length(await moved(page, () => page.keyboard.press('W'))) < length(whole));
  await checkOverview(page);
  await moved(page, () => page.keyboard.press('0'));
  await page.mouse.move(600, 300);
  await page.keyboard.down('Control');
  const wheeled = await moved(page, () => page.mouse.wheel(0, -300));
  await page.keyboard.up('Control');
  assert(length(wheeled) < length(whole));
  const dragged = await moved(page, async () => {
    await page.mouse.down();
    await page.mouse.move(450, 300, { steps: 4 });
    await page.mouse.up();
  });
  assert(dragged[0] > wheeled[0]);
  const pinched = await moved(page, () => pinch(page));
  assert(length(pinched) < length(dragged));
  await page.getByRole('button', { name: 'Whole' }).click();

  await page.keyboard.press('/');
  await page.keyboard.type('startcontainer');
  await page.getByRole('button', { name: 'Table' }).click();
  const cells = page.locator('tbody td:last-child');
  const found = await cells.allTextContents();
  assert(found.length > 0 && found.every((text) => /startcontainer/i.test(text)), found.join('\n'));
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('All calls').selectOption('CreateContainer');
  assert((await cells.allTextContents()).every((text) => text.startsWith('CreateContainer')));
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Only faults' }).click();
  assert((await cells.count()) > 0);

  await page.locator('tbody button').last().click();
  const details = page.locator('.details');
  assert.match((await details.locator('pre').first().textContent()) ?? '', /^\{\n/);
  const text = await details.locator('h2').textContent();
  await checkAccessibility(page, 'details and table');
  const address = page.url();
  const again = await open(browser, address);
  assert.equal(await again.page.locator('.details h2').textContent(), text);
  await again.page.close();

  await page.getByRole('button', { name: 'Clear' }).click();
  await checkTabs(page);
  await moved(page, () => page.locator('.moment').last().click());
  await page.getByLabel('Change between light and dark').click();
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(16, 21, 28)');
  await checkAccessibility(page, 'dark');
  // On paper the picture is light and as high as its lanes, and has no tools.
  await page.emulateMedia({ media: 'print' });
  await cornerIs(page, '255,255,255');
  assert.equal(await page.locator('.tools').isVisible(), false);
  assert((await page.locator('tbody tr').count()) > 10);
  await page.emulateMedia({ media: null });
  await cornerIs(page, '16,21,28');
  assert((await page.pdf()).length > 10_000);
  await page.setViewportSize({ width: 390, height: 800 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  assert(await isDrawn(page, 10));
  assert.deepEqual(problems, []);
  await page.close();
  return 'every way to move, search, select and link';
}

const UNMET = `version: 1
title: An expectation of several lines
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: "nginx:1" }] } }
    behaviors: { app: "exit=137,after=9m" }
until: 10m
expect: { lastRow: { pod: web, ready: 1/1, status: Running, restarts: 0 } }
`;

/** Expectations keep their line breaks, and a bar that ended badly is red only at its end. */
export async function checkUnmet(browser: Browser): Promise<string> {
  fileOf('unmet.yaml', UNMET);
  const html = await mockriFails('simulate', `${scratch}/unmet.yaml`, '--output', 'html');
  const { page, problems } = await open(browser, fileOf('unmet.html', html));
  // biome-ignore lint/performance/useDomNodeTextContent: the line breaks that people see
  const text = await page.locator('.bad li').first().innerText();
  assert(text.split('\n').length >= 3, text);
  await page.getByText('app of default/web ends with exit code 137').first().click();
  assert.deepEqual(problems, []);
  await page.close();
  return 'unmet expectations';
}

/** The page of a failed check shows the rule, the expected and received values, and highlights the calls. */
export async function checkFailure(browser: Browser): Promise<string> {
  const { url } = await failurePage();
  const { page, problems } = await open(browser, url);
  const story = page.locator('#panel');
  const text = (await story.textContent()) ?? '';
  for (const part of [
    'The ruleListContainerStats',
    'Expectedneither the created',
    'Received[',
    'ListContainerStats: OK',
  ])
    assert(text.includes(part), `${part} in ${text}`);
  assert.deepEqual(problems, []);
  await page.close();
  return 'the page of a failed check';
}

/** The window on the overview moves the picture, and its edge resizes it. */
async function checkOverview(page: Page): Promise<void> {
  const before = shown(page);
  const box = await page.locator('canvas.overview').boundingBox();
  assert(box);
  const drag = (from: number, to: number) =>
    moved(page, async () => {
      await page.mouse.move(from, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(to, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
    });
  const right = box.x + box.width - 40;
  const after = await drag(right, right);
  assert(after[0] > before[0] && Math.abs(length(after) - length(before)) < 0.01, `${before} to ${after}`);
  await page.locator('.picture canvas').focus();
}

/** Arrows move between the tabs; the Tab key reaches one of them. */
async function checkTabs(page: Page): Promise<void> {
  const selected = page.locator('[role=tab][aria-selected=true]');
  await page.getByRole('tab', { name: 'Details' }).click();
  for (const [key, name] of [
    ['ArrowLeft', 'What happened'],
    ['ArrowLeft', 'Details'],
    ['ArrowRight', 'What happened'],
    ['End', 'Details'],
    ['Home', 'What happened'],
  ] as const) {
    await page.keyboard.press(key);
    assert.equal(await selected.textContent(), name, key);
    assert.equal(await page.evaluate('document.activeElement.textContent'), name, `focus after ${key}`);
  }
  assert.equal(await page.locator('[role=tab][tabindex="0"]').count(), 1);
}

/** Waits until the canvas has this color in its lower left corner. */
async function cornerIs(page: Page, color: string): Promise<void> {
  for (let tries = 100; (await page.evaluate(CORNER)) !== color; tries--) {
    assert(tries > 0, `the corner of the picture is not ${color}`);
    await page.waitForTimeout(50);
  }
}

const CORNER = `(() => {
  const canvas = document.querySelector('.picture canvas');
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  pixel.drawImage(canvas, 2, canvas.height - 2, 1, 1, 0, 0, 1, 1);
  return pixel.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
})()`;

/** Two fingers that move apart. */
async function pinch(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const send = (type: string, points: readonly (readonly [number, number])[]) =>
    session.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: points.map(([x, id]) => ({ x, y: 300, id })),
    });
  await send('touchStart', [[500, 1]]);
  await send('touchStart', [
    [500, 1],
    [560, 2],
  ]);
  for (const by of [20, 40, 60])
    await send('touchMove', [
      [500 - by, 1],
      [560 + by, 2],
    ]);
  await send('touchEnd', []);
}

/** Two tapes on one axis, files that aren't tapes, and names that look like HTML. */
export async function checkTapes(browser: Browser): Promise<string> {
  const [one, two] = [`${scratch}/one.tape`, `${scratch}/two.tape.gz`];
  await mockri('simulate', 'liveness-crash-loop', '--record', one, '--seed', '1');
  await mockri('simulate', 'crash-loop-back-off', '--record', two);
  const both = await open(browser, fileOf('both.html', await mockri('tape', 'view', one, two)));
  assert.equal(await both.page.locator('h1').textContent(), 'one.tape and two.tape.gz');
  assert((await both.page.getByText('Differences').count()) === 1);
  assert.match(
    ((await both.page.locator('footer').textContent()) ?? '').trim(),
    /^2 tapes: \d+ calls, .* virtual time, recorded by [^;]+; redacted: /,
  );
  await both.page.locator('.moment:not(:disabled)').first().click();
  assert((await both.page.locator('.details pre').count()) > 0);
  assert.deepEqual(both.problems, []);

  const { page } = both;
  const title = page.locator('h1');
  await page.getByLabel('Open a tape, or two').setInputFiles([two, one]);
  await page.getByRole('heading', { name: 'two.tape.gz and one.tape' }).waitFor();
  await page.getByLabel('Open a tape, or two').setInputFiles(one);
  await page.getByRole('heading', { name: 'one.tape', exact: true }).waitFor();
  await page.getByLabel('Open a tape to compare with the first one').setInputFiles({
    name: 'foreign.json',
    mimeType: '',
    buffer: Buffer.from('{}'),
  });
  await page.getByText(/^foreign\.json: this is not a tape/).waitFor();
  assert.equal(await title.textContent(), 'one.tape');
  await page.getByLabel('Open a tape to compare with the first one').setInputFiles(two);
  await page.getByRole('heading', { name: 'one.tape and two.tape.gz' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.getByLabel('Open a tape, or two').setInputFiles(one);
  // A valid tape would remove the first error.
  await page.getByRole('heading', { name: 'one.tape', exact: true }).waitFor();
  const choose = async (name: string, content: string | Buffer) => {
    await page
      .getByLabel('Open a tape, or two')
      .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
    await page.getByRole('alert').waitFor();
    return page.getByRole('alert').textContent();
  };
  assert.match((await choose('a.txt', 'hello')) ?? '', /^a\.txt: this is not a tape/);
  assert.match(
    (await choose('new.tape', '{"kind":"header","version":9}')) ?? '',
    /version 9; this page reads/,
  );
  const header = {
    t: 0,
    kind: 'header',
    version: 1,
    startedAt: '0',
    clock: 'real',
    recorder: 'x',
    redacted: [],
  };
  const evil = '<img src=x onerror="document.title=1">';
  const row = {
    t: 1,
    kind: 'row',
    pod: { name: evil, namespace: evil },
    ready: '1/1',
    status: evil,
    restarts: 0,
  };
  const lines = `${JSON.stringify(header)}\n${JSON.stringify(row)}\n`;
  assert.match((await choose('damaged.tape.gz', gzipSync(`${lines}nonsense\n`))) ?? '', /line 3 is not JSON/);
  await page.getByRole('button', { name: 'Table' }).click();
  assert((await page.locator('tbody').textContent())?.includes(evil));
  assert.equal(await page.locator('img').count(), 0);
  const cut = await choose('cut.tape.gz', gzipSync(lines + lines.repeat(3000)).subarray(0, -200));
  assert.match(cut ?? '', /line \d+/);
  await page.close();

  const named = fileOf(`named.html`, await mockri('tape', 'view', await recordOf(evil, lines)));
  const last = await open(browser, named);
  assert.equal(await last.page.locator('img').count(), 0);
  assert.deepEqual(last.problems, []);
  await last.page.close();
  return 'two tapes, damaged tapes, names that look like HTML';
}

async function recordOf(name: string, lines: string): Promise<string> {
  const path = `${scratch}/${name.replaceAll('/', '')}.tape`;
  fileOf(`${name.replaceAll('/', '')}.tape`, lines);
  return path;
}
