import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { simulateCommand } from '../../src/cli/commands/simulate.js';
import { explain } from '../../src/lab/scenario/explain/explain.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { runsOf } from '../../src/lab/scenario/file/variants.js';
import { timelineText } from '../../src/lab/scenario/output/timeline.js';
import { run, simulateScenario } from '../support/scenario/simulate.js';

const web = (behavior: string) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'app', image: 'nginx' }] },
  },
  behaviors: { app: behavior },
});

/** Explanations with `<time>` for times. */
const withoutTimes = (result: Parameters<typeof explain>[0]): string[] =>
  explain(result).map((text) => text.trim().replace(/\b(\d+m)?\d+\.\ds\b/g, '<time>'));

test('for a healthy run, pulls and readiness are explained', async () => {
  const result = await run({ pods: [web('run')], until: '30s' });
  expect(withoutTimes(result)).toEqual([
    '<time>  The kubelet pulled image "nginx" for web/app in <time>.',
    '<time>  Pod web became ready <time> after its first row.',
    'Nothing restarted, the PLEG worked normally, and the node stayed ready.',
  ]);
  // How kubelet and runtime are stopped is no part of the run.
  expect(result.containerEvents.map(({ what }) => what)).toEqual(['started']);
});

/** A pod with one container that has these fields in addition. */
const podWith = (fields: object, behavior = 'run') => ({
  ...web(behavior),
  manifest: {
    ...web(behavior).manifest,
    spec: { containers: [{ name: 'app', image: 'nginx', ...fields }], terminationGracePeriodSeconds: 5 },
  },
});
const exec = (command: string) => ({ exec: { command: ['sh', '-c', command] } });

test.each([
  [
    'a pull that fails, and an unfinished one',
    {
      pods: [web('run')],
      faults: [
        {
          name: 'no',
          match: { method: 'PullImage' },
          then: { error: { code: 'NOT_FOUND' } },
          when: { times: 1 },
        },
      ],
      timeline: [
        {
          at: '5s',
          do: { addFault: { name: 'slow', match: { method: 'PullImage' }, then: { delay: '10m' } } },
        },
      ],
    },
    [
      /^<time> {2}Fault rule "no" fired: PullImage returns an error for pod web\.$/,
      /^<time> {2}The pull of image "nginx" for web\/app failed: rpc error: .*\.$/,
      /^<time> {2}The pull of image "nginx" for web\/app began, and had not finished when the run ended\.$/,
      /^<time> {2}Pod web never became ready: its last row is 0\/1 ImagePullBackOff\.$/,
    ],
  ],
  [
    'a readiness probe',
    {
      pods: [podWith({ readinessProbe: { ...exec('exit 1'), periodSeconds: 5 } })],
      timeline: [],
    },
    [/^<time> {2}The readiness probe of web\/app failed \d+ times until <time>\.$/],
  ],
  [
    'a liveness probe',
    { pods: [podWith({ livenessProbe: { ...exec('echo bad; exit 1'), periodSeconds: 5 } })] },
    [
      /^<time> {2}The liveness probe of web\/app failed \d+ times until <time> \("bad"\)\. The kubelet stopped the container \d+ times because of it\.$/,
    ],
  ],
  [
    'a postStart hook',
    { pods: [podWith({ lifecycle: { postStart: exec('exit 1') } })] },
    [
      /^<time> {2}The postStart hook of web\/app failed \d+ times until <time>\. The kubelet stops the container/,
    ],
  ],
  [
    'a preStop hook and a container that ignores TERM',
    {
      pods: [podWith({ lifecycle: { preStop: exec('exit 1') } }, 'run,ignore=TERM')],
      timeline: [{ at: '20s', do: { removePod: 'web' } }],
    },
    [
      /^<time> {2}The preStop hook of web\/app failed\. The kubelet stops the container anyway\.$/,
      /^<time> {2}Pod web was deleted\. Container app exited with exit code 137 after <time>: the kubelet killed it, because .* It was gone after <time>\.$/,
    ],
  ],
  [
    'a container that does not start again',
    {
      pods: [
        {
          ...web('exit=3,after=2s'),
          manifest: {
            ...web('').manifest,
            spec: { containers: [{ name: 'app', image: 'nginx' }], restartPolicy: 'Never' },
          },
        },
      ],
    },
    [/^<time> {2}web\/app exited with exit code 3\. The kubelet did not restart it\.$/],
  ],
  [
    'a sandbox that cannot be created, and a pod that is ready late',
    {
      pods: [web('run')],
      faults: [
        {
          name: 'cni',
          match: { method: 'RunPodSandbox' },
          then: { error: { message: 'no IP' } },
          when: { times: 2 },
        },
      ],
    },
    [
      /^<time> {2}The kubelet could not create the sandbox of web 2 times until <time>: .*no IP\.$/,
      /^<time> {2}Pod web became ready <time> after its first row\.$/,
    ],
  ],
])('%s has its own sentence', async (_, scenario, expected) => {
  const texts = withoutTimes(await run({ until: '60s', ...scenario }));
  for (const sentence of expected) expect(texts).toContainEqual(expect.stringMatching(sentence));
});

test('a lost event is named with the restart that it delays', async () => {
  const [first] = runsOf(await loadScenario('scenarios/evented-event-lost.yaml'), '1.35');
  if (first === undefined) throw new Error('the scenario has no run');
  const [, , lost, restart, ...rest] = explain(await simulateScenario(first.scenario));
  expect(rest).toEqual([]);
  expect(lost).toContain(
    'An event about pod web is lost: fault rule "lost" drops it. The kubelet detects the change only when it next relists.',
  );
  expect(restart).toMatch(/^ {3}5m00\.1s {2}web\/app restarted \(restart 1\) 4m30\.\ds after it exited/);
  expect(restart).toContain(
    'Fault rule "lost" fired at 30.0s: drop on GetContainerEvents, and the kubelet missed this event.',
  );
});

test('a call that still hangs at the end is named too, and a fault on another pod is not', async () => {
  const hang = { match: { method: '@list' }, then: { hang: {} } };
  const other = {
    name: 'other',
    match: { method: 'StartContainer', pod: { name: 'db' } },
    then: { error: {} },
  };
  const db = { ...web('run'), manifest: { ...web('run').manifest, metadata: { name: 'db' } } };
  const result = await run({
    pods: [web('run'), db],
    faults: [other],
    timeline: [
      { at: '20s', do: { addFault: { name: 'hang', ...hang } } },
      { at: '30s', do: { exitContainer: { pod: 'web', container: 'app', code: 1 } } },
      { at: '60s', do: { removeFault: 'hang' } },
    ],
    until: '90s',
  });
  const [restart] = explain(result).filter((text) => text.includes('restarted'));
  expect(restart).toMatch(/Fault rule "hang" fired 2 times at 20\.0s: ListPodSandbox hangs\./);
  expect(restart).not.toContain('other');
});

test('a timeline with calls has each change with its time, and reads once; golden files have none', async () => {
  const result = await run({ pods: [web('exit=1,after=2s')], until: '20s' });
  const lines = timelineText(result, { withCalls: true });
  const starts = lines.filter((line) =>
    /^ +\d+\.\d{3}s {2}call {3}StartContainer {2}OK {2}\d+ms$/.test(line),
  );
  expect(starts).toHaveLength(result.calls.filter(({ rpc }) => rpc === 'StartContainer').length);
  expect(starts.length).toBeGreaterThan(1);
  expect(lines.filter((line) => line.includes('call   ListContainers'))).toHaveLength(1);
  expect(timelineText(result).join('\n')).not.toContain('s  call   ');
  const start = result.calls.find(({ rpc }) => rpc === 'StartContainer');
  expect(start).toEqual({
    t: expect.any(Number),
    rpc: 'StartContainer',
    end: expect.any(Number),
    code: 'OK',
  });
});

/** What `mockri simulate` prints. */
async function printed(...args: string[]): Promise<string> {
  let text = '';
  const write = process.stdout.write;
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  };
  try {
    const parts = {
      backend: createMemoryBackend,
    };
    await simulateCommand(parts).parseAsync(args, { from: 'user' });
  } finally {
    process.stdout.write = write;
    process.exitCode = 0;
  }
  return text;
}

test.each([[[]], [['--output', 'table']]])('--explain %s shows story, rows and reasons', async (flags) => {
  const text = await printed('liveness-crash-loop', '--explain', ...flags);
  expect(text).toMatch(/What you see:[\s\S]*Why:[\s\S]*What helps:[\s\S]*TIME +NAME[\s\S]*CrashLoopBackOff/);
  expect(text).toMatch(/\n +\d\S*s {2}\S+ restarted \(restart 1\)/);
});

test('--json has the calls with start and end times and codes', async () => {
  const json = JSON.parse(await printed('crash-loop-back-off', '--json'));
  expect(json.calls).toContainEqual({
    t: expect.any(Number),
    rpc: 'StartContainer',
    end: expect.any(Number),
    code: 'OK',
  });
});

const probed = (behavior: string) =>
  podWith({ readinessProbe: { ...exec('true'), periodSeconds: 5 } }, behavior);

test('an OOM-killed container is not reported as a failed readiness probe', async () => {
  const texts = withoutTimes(await run({ pods: [probed('oom,after=12s,ready-after=3s')], until: '25s' }));
  expect(texts.join('\n')).not.toMatch(/stopped being ready|after 0\.0s/);
  expect(texts).toContain(
    '<time>  Pod web was ready again <time> after app exited: the container restarted at <time>, and needed <time> more to become ready.',
  );
});

test('a readiness probe that fails while the container runs is named', async () => {
  const texts = withoutTimes(await run({ pods: [probed('run,ready-until=8s')], until: '60s' }));
  expect(texts).toContain('<time>  Pod web stopped being ready (0/1): its readiness probe failed.');
});

test('the end of a container with neither behavior nor command is explained', async () => {
  const { behaviors: _, ...pod } = podWith({ image: 'example.com/x' });
  const texts = withoutTimes(await run({ pods: [pod], until: '10s' }));
  expect(texts.join('\n')).toContain(
    'with exit code 0, because it has neither a behavior nor a command: its image runs "sh", which exits when it has no input',
  );
});

test('a container that runs the program of its image has another reason for its end', async () => {
  const { behaviors: _, ...pod } = podWith({ image: 'nginx:1' });
  const exit = { at: '5s', do: { exitContainer: { pod: 'web', container: 'app', code: 0 } } };
  const texts = withoutTimes(await run({ pods: [pod], timeline: [exit], until: '10s' }));
  expect(texts.join('\n')).toContain('with exit code 0');
  expect(texts.join('\n')).not.toContain('neither a behavior nor a command');
});

const containerEvent = (t: number, attempt: number, what: 'started' | 'ended', exitCode?: number) => ({
  ...{ t, pod: 'web', container: 'app', attempt, what },
  ...(exitCode !== undefined && { exitCode }),
});

test('a start after the end of a later attempt is not a restart, and an instance whose port is in use is explained', async () => {
  const result = await run({ pods: [web('run')], until: '5s' });
  const containerEvents = [
    containerEvent(1, 1, 'started'),
    containerEvent(3, 1, 'ended', 1),
    containerEvent(9, 0, 'started'),
  ];
  expect(withoutTimes({ ...result, containerEvents }).join('\n')).toContain(
    'web/app started (attempt 0) <time> after attempt 1 had exited',
  );
  const two = [
    containerEvent(1, 0, 'started'),
    containerEvent(2, 1, 'started'),
    containerEvent(3, 1, 'ended', 1),
    containerEvent(9, 2, 'started'),
  ];
  expect(withoutTimes({ ...result, containerEvents: two }).join('\n')).toContain(
    'with exit code 1, while attempt 0 was still running and held something that only one of them can use, such as a port',
  );
  expect(withoutTimes({ ...result, containerEvents: two }).join('\n')).toContain(
    'web/app started once more (attempt 1) while attempt 0 was still running, which the kubelet did not know. RESTARTS counts it, although no container had exited.',
  );
});

test('a restart without a recorded decision gets no guessed explanation, and lost streams count as calls', async () => {
  const [first] = runsOf(await loadScenario('scenarios/evented-fall-back.yaml'), '1.36');
  if (first === undefined) throw new Error('the scenario has no run');
  const result = await simulateScenario(first.scenario);
  const pleg = result.pleg.filter(({ state }) => state !== 'stream-failed');
  const texts = withoutTimes({ ...result, pleg, backOffs: [] }).join('\n');
  expect(texts).toContain('No back-off decision was recorded for this restart.');
  expect(texts).toMatch(/gave up on the event stream after 5 failures in <time>: .* Errors: 5 × "\w+"\./);
});
