import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { type CriConnection, connectCri } from '../../../../src/cri/client/connect.js';
import { containerConfig, podConfig } from '../../../support/tape/recorded-run.js';
import { open } from './browser.js';
import { scratch, start } from './commands.js';

const CALLS_PER_SECOND = 500;
/** Pods that stay, and pods per second that start and end, with five calls each. */
const PODS = 40;
const LIVES_PER_SECOND = 10;
/** Seconds between two checks of the page. */
const LOOK = 10;
/** Memory of the page in MiB. */
const MOST_MEMORY = 300;

/** The figures of each check. */
interface Figures {
  /** Calls per second since the last check. */
  readonly rate: number;
  /** Processor time of the page's thread, as a fraction of the time. */
  readonly busy: number;
  /** Memory of the page's script, and of the server, in MiB. */
  readonly page: number;
  readonly server: number;
  /** Milliseconds from a call until the page shows it; the longest time between two frames. */
  readonly lag: number;
  readonly frame: number;
}

/**
 * A page that follows a server with many calls: nothing is lost, new calls appear, and memory is limited. LOAD_SECONDS
 * is the duration; the figures of each check go to standard error.
 */
export async function checkLoad(browser: Browser): Promise<string> {
  const seconds = Number(process.env.LOAD_SECONDS ?? LOOK);
  const socket = `unix://${scratch}/load.sock`;
  const server = await start('serve', '--listen', socket, '--control', '127.0.0.1:0');
  const { control } = JSON.parse(server.line) as { control: string };
  const cri = connectCri(socket);
  const { page, problems } = await open(browser, `${control}/`);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.evaluate(WATCH_FRAMES);
  const load = createLoad(cri);
  await load.begin();
  const figures: Figures[] = [];
  let before = { at: performance.now(), calls: 0, work: (await figuresOf(session)).work };
  for (let look = 1; look * LOOK <= seconds; look++) {
    await sleep(LOOK * 1000);
    const lag = await lagOf(page, cri, look);
    const frame = Number(await page.evaluate('[longest, longest = 0][0]'));
    const { heap, work } = await figuresOf(session);
    const now = { at: performance.now(), calls: load.calls, work };
    const since = (now.at - before.at) / 1000;
    figures.push({
      rate: Math.round((now.calls - before.calls) / since),
      busy: Math.round(((now.work - before.work) / since) * 100) / 100,
      ...{ lag, frame, page: inMebibytes(heap), server: residentOf(server.pid) },
    });
    before = now;
    process.stderr.write(`${look * LOOK} s: ${JSON.stringify(figures.at(-1))}\n`);
  }
  await load.end();
  assert.equal(await page.getByText('entries are missing').count(), 0, 'the page was too slow');
  const most = Math.max(...figures.map((each) => each.page));
  assert(most < MOST_MEMORY, `the page uses ${most} MiB`);
  assert.deepEqual(problems, []);
  cri.close();
  server.stop();
  await page.close();
  return `${load.calls} calls in ${seconds} s`;
}

/** Makes calls at an even rate, as a kubelet with many pods does. */
function createLoad(cri: CriConnection) {
  let isOver = false;
  let calls = 0;
  const containers: string[] = [];
  const sandboxes: string[] = [];
  const running: Promise<unknown>[] = [];
  const reads: readonly ((turn: number) => Promise<unknown>)[] = [
    (turn) => cri.containerStatus({ containerId: containers[turn % PODS] ?? '', verbose: false }),
    (turn) => cri.podSandboxStatus({ podSandboxId: sandboxes[turn % PODS] ?? '', verbose: false }),
  ];
  const read = (turn: number): Promise<unknown> => {
    if (turn % 50 === 0) return cri.listContainers({});
    if (turn % 50 === 25) return cri.listPodSandbox({});
    return turn % 50 === 10 ? cri.status({ verbose: false }) : (reads[turn % 2] as (typeof reads)[0])(turn);
  };
  /**
   * Makes all calls that are due, so that a late timer does not lower the rate; on a busy machine less than a second's.
   */
  const keepPace = async (perSecond: number, work: (turn: number) => Promise<unknown>) => {
    let last = performance.now();
    let due = 0;
    for (let turn = 0; !isOver; ) {
      const now = performance.now();
      due += (Math.min(now - last, 200) / 1000) * perSecond;
      last = now;
      const made: Promise<unknown>[] = [];
      for (; due >= 1; due--) made.push(work(turn++));
      await Promise.all(made);
      await sleep(20);
    }
  };
  return {
    get calls() {
      return calls;
    },
    begin: async () => {
      await cri.pullImage({ image: { image: 'busybox:1.36' } });
      for (let pod = 0; pod < PODS; pod++) {
        const { sandbox, container } = await startPod(cri, `stays-${pod}`);
        sandboxes.push(sandbox);
        containers.push(container);
      }
      const reading = keepPace(CALLS_PER_SECOND - LIVES_PER_SECOND * 5, async (turn) => {
        await read(turn);
        calls++;
      });
      const living = keepPace(LIVES_PER_SECOND, async (turn) => {
        const { sandbox } = await startPod(cri, `goes-${turn}`);
        await cri.stopPodSandbox({ podSandboxId: sandbox });
        await cri.removePodSandbox({ podSandboxId: sandbox });
        calls += 5;
      });
      running.push(reading, living);
    },
    end: async () => {
      isOver = true;
      await Promise.all(running);
    },
  };
}

async function startPod(cri: CriConnection, name: string) {
  const config = podConfig(name);
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const made = await cri.createContainer({
    podSandboxId,
    config: containerConfig('app'),
    sandboxConfig: config,
  });
  await cri.startContainer(made);
  return { sandbox: podSandboxId, container: made.containerId };
}

/** Makes a failing call, and waits until the page shows it. */
async function lagOf(page: Page, cri: CriConnection, look: number): Promise<number> {
  await page.getByRole('tab', { name: 'What happened' }).click();
  const config = podConfig(`fails-${look}`);
  const failed = cri.runPodSandbox({ config, runtimeHandler: 'none' }).catch(() => performance.now());
  await page.getByText(`of default/fails-${look} fails`).first().waitFor({ state: 'attached' });
  const lag = performance.now() - Number(await failed);
  await page.getByRole('tab', { name: 'Now' }).click();
  return Math.round(lag);
}

/** Memory of the page's script in bytes, and processor seconds of its thread. */
async function figuresOf(session: CDPSession): Promise<{ readonly heap: number; readonly work: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const metricOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { heap: metricOf('JSHeapUsedSize'), work: metricOf('TaskDuration') };
}

const residentOf = (pid: number): number =>
  inMebibytes(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024);

const inMebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Keeps the longest time between two frames in `longest`. */
const WATCH_FRAMES = `{
  globalThis.longest = 0;
  let last = performance.now();
  const step = (now) => {
    longest = Math.max(longest, Math.round(now - last));
    last = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}`;
