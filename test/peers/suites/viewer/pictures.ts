import { strict as assert } from 'node:assert';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { nodeListPage } from '../../../../src/cluster/node-list-page.js';
import { checkAccessibility } from './browser.js';
import { fileOf, mockriFails, scenarioPage, scratch, start } from './commands.js';
import { NODES } from './nodes.js';

/** Widths in pixels: desktop and phone. */
const SIZES = [
  { width: 1400, height: 800 },
  { width: 420, height: 860 },
] as const;

/** Directory of the pictures. */
const directory = process.env.PICTURES ?? join(scratch, 'pictures');

/** Seconds that pods run before the live page is opened, and after it. */
const BEFORE = 20;
const AFTER = 10;

/** Takes pictures for people: each kind of page, light and dark, wide and narrow. */
export async function checkPictures(browser: Browser, only: readonly string[]): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const pages: Readonly<Record<string, () => Promise<Pictured>>> = {
    'crash-loop': async () => ({ url: await scenarioPage('crash-loop-back-off') }),
    failure: failurePage,
    live: livePage,
    nodes: async () => ({ url: fileOf('nodes.html', nodeListPage(NODES)) }),
  };
  let pictures = 0;
  for (const [name, make] of Object.entries(pages)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const { url, ready = 0, close } = await make();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of SIZES) {
        const page = await browser.newPage({ viewport, colorScheme });
        await page.goto(url);
        await page.locator('.picture canvas, table').first().waitFor();
        await sleep(ready);
        await page.waitForTimeout(700);
        const about = `${name}-${colorScheme}-${viewport.width}`;
        await page.screenshot({ path: join(directory, `${about}.png`) });
        pictures++;
        if (!process.env.UNCHECKED) await checkFit(page, about, viewport.width);
        await page.close();
      }
    close?.();
  }
  return `${pictures} pictures in ${directory}`;
}

/** A page of the pictures. */
interface Pictured {
  readonly url: string;
  /** Milliseconds until it is visible. */
  readonly ready?: number;
  readonly close?: () => void;
}

/** Nothing is wider than the page, and the tools fit one row. */
async function checkFit(page: Page, about: string, width: number): Promise<void> {
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth'),
    width,
    `${about} scrolls sideways`,
  );
  const hidden = `(() => {
    const panel = document.querySelector('.panel');
    return panel === null ? 0 : panel.scrollWidth - panel.clientWidth;
  })()`;
  assert.equal(await page.evaluate(hidden), 0, `${about}: the panel scrolls sideways`);
  const tools = page.locator('.tools');
  if (await tools.count()) {
    const box = await tools.boundingBox();
    assert(box && box.height < 50, `${about}: the tools have ${box?.height} pixels`);
  }
  await checkAccessibility(page, about);
}

/** A failing check: containerd lists stopped containers in ListContainerStats. */
export async function failurePage(): Promise<Pictured> {
  const socket = `unix://${scratch}/failing.sock`;
  const server = await start('serve', '--listen', socket, '--control', 'off', '--profile', 'containerd-2.4');
  const kept = join(scratch, 'failed');
  const id = 'INV-48.running-only';
  await mockriFails(
    ...['conformance', '--endpoint', socket, '--profile', 'strict', '--focus', id, '--record', kept],
  );
  server.stop();
  return { url: `file://${kept}/${id}.html` };
}

/** A server with pods that run, crash and are not ready. */
async function livePage(): Promise<Pictured> {
  mkdirSync(`${scratch}/live-pods`, { recursive: true });
  const socket = `unix://${scratch}/live.sock`;
  const server = await start('serve', '--listen', socket, '--control', '127.0.0.1:0');
  const { control } = JSON.parse(server.line) as { control: string };
  for (const [name, behavior] of Object.entries(BEHAVIORS))
    fileOf(`live-pods/${name}.yaml`, podManifest(name, behavior));
  const at = ['--pod-manifest-path', `${scratch}/live-pods`, '--root-dir', `${scratch}/live-kubelet`];
  const logs = ['--pod-logs-dir', `${scratch}/live-logs`, '--hostname-override', 'node'];
  const kubelet = await start('kubelet', '--container-runtime-endpoint', socket, ...at, ...logs);
  await sleep(BEFORE * 1000);
  const close = () => {
    kubelet.stop();
    server.stop();
  };
  return { url: `${control}/`, ready: AFTER * 1000, close };
}

const BEHAVIORS = { web: 'run', crashes: 'exit=1,after=3s', batch: 'exit=0,after=12s' };

const podManifest = (name: string, behavior: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default, uid: u-${name}, annotations: {behavior.mockri.dev/app: "${behavior}"}}
spec:
  containers:
  - {name: app, image: "nginx:1"}
`;
