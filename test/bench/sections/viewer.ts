import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, chromium } from 'playwright-core';
import { fillPage, loadPage } from '../../../src/tape/viewer/document.js';
import type { Section } from '../context.js';
import { dayOfPods } from '../support/day-of-pods.js';
import { median } from '../support/result.js';

const CALLS = 100_000;
const PODS = 110;
const ROUNDS = 3;
/** Frames while the picture moves. */
const FRAMES = 150;

/** The timeline page with a large tape, in Chromium (Debian package `chromium`), measured in the browser. */
export const viewer: Section = {
  name: 'viewer',
  title: `Timeline of ${CALLS.toLocaleString('en-US')} calls over a day of ${PODS} pods, in Chromium`,
  async run() {
    const program = chromiumProgram();
    if (program === undefined) {
      process.stderr.write('  there is no chromium: install the package to measure the timeline\n');
      return [];
    }
    const directory = await mkdtemp(join(tmpdir(), 'mockri-viewer-'));
    try {
      const file = join(directory, 'day.html');
      const bytes = Buffer.from(dayOfPods(CALLS, PODS));
      await writeFile(file, fillPage(loadPage(), { about: {}, tapes: [{ name: 'day', bytes }] }));
      const runs: Measured[] = [];
      for (let round = 0; round < ROUNDS; round++) runs.push(await measure(program, file));
      return [
        { name: 'opens', value: median(runs.map(({ opens }) => opens)), unit: 's', aim: { below: 2 } },
        {
          name: 'longest frame while it is moved',
          value: median(runs.map(({ frame }) => frame)),
          unit: 'ms',
          aim: { below: 50 },
        },
        { name: 'processor time of a frame', value: median(runs.map(({ work }) => work)), unit: 'ms' },
        {
          name: 'memory of its script',
          value: median(runs.map(({ memory }) => memory)),
          unit: 'MiB',
          aim: { below: 300 },
        },
      ];
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function chromiumProgram(): string | undefined {
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

interface Measured {
  /** Seconds from the navigation to the second frame with the picture. */
  readonly opens: number;
  /** Milliseconds: the longest time between two frames, and the processor time of one. */
  readonly frame: number;
  readonly work: number;
  /** MiB in use before the garbage of reading is collected. */
  readonly memory: number;
}

async function measure(executablePath: string, file: string): Promise<Measured> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`file://${file}`);
    await page.locator('.picture canvas').waitFor();
    const opened =
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))';
    const opens = Number(await page.evaluate(opened)) / 1000;
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const before = await figuresOf(session);
    const frame = Number(await page.evaluate(MOVE));
    const after = await figuresOf(session);
    const work = ((after.time - before.time) / FRAMES) * 1000;
    return { opens, frame, work, memory: before.heap / 2 ** 20 };
  } finally {
    await browser.close();
  }
}

/** Figures of the browser: bytes of the heap, and processor time of the page's thread in seconds. */
async function figuresOf(session: CDPSession): Promise<{ readonly heap: number; readonly time: number }> {
  const { metrics } = await session.send('Performance.getMetrics');
  const metricOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { heap: metricOf('JSHeapUsedSize'), time: metricOf('TaskDuration') };
}

/** Zooms in once and moves back and forth, one key per frame; returns the longest time between two frames. */
const MOVE = `new Promise((done) => {
  const canvas = document.querySelector('.picture canvas');
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
  press('+');
  let [frames, longest, last] = [0, 0, 0];
  const step = (now) => {
    if (frames > 2) longest = Math.max(longest, now - last);
    last = now;
    if (++frames > ${FRAMES}) return done(longest);
    press(frames % 40 < 20 ? 'ArrowRight' : 'ArrowLeft');
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
