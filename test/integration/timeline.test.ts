import { request } from 'node:http';
import { expect, test } from 'vitest';
import type { Line } from '../../src/tape/entries.js';
import { createTimelineBuilder } from '../../src/tape/viewer/model/builder.js';
import { startMockri } from '../../src/testing/index.js';
import { containerConfig, podConfig } from '../support/tape/recorded-run.js';

// The page itself comes from the build (`npm test` builds before); test/peers/suites/viewer opens it in a browser.

test('the control API serves the page, never in a frame, and refuses other origins and names', async () => {
  await using mockri = await startMockri({ control: true });
  const url = `${mockri.control}/`;
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  const page = await response.text();
  expect(page).toContain("connect-src 'self'");
  expect(page).not.toMatch(/%(CSP|STYLE|SCRIPT|TITLE|CONNECT|ABOUT|TAPES)%/);
  expect((await fetch(url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  expect(await statusWithHost(url, 'evil.example')).toBe(403);
  expect(await statusWithHost(`${url}v1/tape/live`, 'evil.example')).toBe(403);
});

const statusWithHost = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('the live tape begins with the existing objects, and continues with new entries', async () => {
  await using mockri = await startMockri({ control: true });
  await mockri.client.runPodSandbox({ config: podConfig('before') });
  const leave = new AbortController();
  const lines = linesOf(`${mockri.control}/v1/tape/live`, leave.signal);
  const first = await lines.next();
  const header = first.value as Extract<Line, { kind: 'header' }>;
  expect(header).toMatchObject({ kind: 'header', t: 0, runtime: { name: 'mockri' } });
  const builder = createTimelineBuilder(header);
  const past: Line[] = [];
  for (const kind of ['connection', 'call', 'sandbox', 'reply'] as const) {
    const { value } = await lines.next();
    if (value !== undefined) past.push(value);
    expect(value).toMatchObject({ kind });
  }
  expect(past[2]).toMatchObject({ what: 'ready', pod: { name: 'before' } });
  expect(past[3]).not.toHaveProperty('message');
  await mockri.client.runPodSandbox({ config: podConfig('after') });
  let number = 1;
  for await (const line of lines) {
    builder.add(line, ++number);
    if (line.kind === 'reply' && line.method === 'RunPodSandbox') break;
  }
  leave.abort();
  expect(builder.timeline().lanes.map(({ pod, kind }) => `${pod} ${kind}`)).toContain('default/after call');
});

test('a page that is opened late shows earlier entries at their times', async () => {
  await using mockri = await startMockri({ control: true, clock: 'virtual' });
  const { client, clock } = mockri;
  const config = podConfig('web');
  await mockri.runUntil(client.pullImage({ image: { image: 'busybox:1.36' } }));
  const { podSandboxId } = await mockri.runUntil(client.runPodSandbox({ config }));
  const runOnce = async (attempt: number) => {
    const container = { ...containerConfig('app'), metadata: { name: 'app', attempt } };
    const made = await mockri.runUntil(
      client.createContainer({ podSandboxId, config: container, sandboxConfig: config }),
    );
    await mockri.runUntil(client.startContainer(made));
    await mockri.advance(5000);
    await mockri.runUntil(client.stopContainer({ ...made, timeout: 0n }));
    return made;
  };
  const first = await runOnce(0);
  await mockri.advance(10_000);
  await runOnce(1);
  await mockri.runUntil(client.removeContainer(first));
  await mockri.advance(583_000);
  await runOnce(2);
  const leave = new AbortController();
  const past: Line[] = [];
  for await (const line of linesOf(`${mockri.control}/v1/tape/live`, leave.signal)) {
    past.push(line);
    if (line.kind === 'reply' && line.method === 'StopContainer' && line.t > 500e9) break;
  }
  leave.abort();
  const [header, ...entries] = past;
  // Ten minutes are remembered. The sandbox is older, and the first attempt was over before.
  expect(header).toMatchObject({ startedAt: String(clock.now() - 600_000_000_000n) });
  const shown = entries.map((line) => {
    const what = 'what' in line ? line.what : 'method' in line ? line.method : '';
    const attempt = 'container' in line ? (line.container?.attempt ?? '') : '';
    return `${Math.floor(line.t / 1e9)} ${line.kind} ${what} ${attempt}`.trim();
  });
  expect(shown).toEqual([
    '0 connection opened',
    '0 sandbox ready',
    '7 call CreateContainer 1',
    '7 reply CreateContainer',
    '7 call StartContainer 1',
    '7 reply StartContainer',
    '7 container created 1',
    '7 container started 1',
    '12 container ended 1',
    '12 container removed 0',
    '12 call StopContainer 1',
    '12 reply StopContainer',
    '12 call RemoveContainer 0',
    '12 reply RemoveContainer',
    '595 call CreateContainer 2',
    '595 reply CreateContainer',
    '595 call StartContainer 2',
    '595 reply StartContainer',
    '595 container created 2',
    '595 container started 2',
    '600 container ended 2',
    '600 call StopContainer 2',
    '600 reply StopContainer',
  ]);
});

test('a recording and live readers get each life of a container once', async () => {
  await using mockri = await startMockri({ control: true });
  const leave = new AbortController();
  const [one, two] = [0, 1].map(() => linesOf(`${mockri.control}/v1/tape/live`, leave.signal));
  await Promise.all([one?.next(), two?.next()]);
  await mockri.client.runPodSandbox({ config: podConfig('web') });
  await mockri.client.status({});
  const seen: string[] = [];
  for await (const line of one ?? []) {
    if (line.kind === 'sandbox') seen.push(line.what);
    if (line.kind === 'reply' && line.method === 'Status') break;
  }
  leave.abort();
  expect(seen).toEqual(['ready']);
});

/** The header, and then the lines of the live tape. */
async function* linesOf(url: string, signal: AbortSignal): AsyncGenerator<Line> {
  const response = await fetch(url, { signal });
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data = '[]'] = /^data: (.*)$/m.exec(event) ?? [];
      const parsed = JSON.parse(data) as Line | string[];
      if (event.startsWith('event: now\n')) continue;
      if (Array.isArray(parsed)) yield* parsed.map((line) => JSON.parse(line) as Line);
      else yield parsed;
    }
  }
}
