import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CallError } from '../../src/cri/client/call-error.js';
import { refereeRules } from '../../src/tape/judge/client/rules.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { openTape } from '../../src/tape/read.js';
import { type Mockri, startMockri } from '../../src/testing/index.js';
import fc from '../support/properties.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf } from '../support/thorough.js';

const directory = useTemporaryDirectories();

const calls = [
  'run',
  'create',
  'createOther',
  'start',
  'stop',
  'remove',
  'stopPod',
  'removePod',
  'exec',
] as const;
const looks = ['status', 'podStatus', 'list', 'listPods', 'wait'] as const;
const methods = [
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'StopPodSandbox',
  'RemovePodSandbox',
  'ExecSync',
] as const;

type Step =
  | { readonly do: (typeof calls)[number] | (typeof looks)[number]; readonly pod: number }
  | { readonly fault: 'delay' | 'error' | 'lost' | 'late'; readonly method: (typeof methods)[number] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom(...calls), pod: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...looks), pod: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      fault: fc.constantFrom('delay', 'error', 'lost', 'late'),
      method: fc.constantFrom(...methods),
    }),
  },
);

const on = (pod: number, ...all: Extract<Step, { do: unknown }>['do'][]): Step[] =>
  all.map((what) => ({ do: what, pod }));

/** Breaks each rule at least once. */
const everyRule: readonly Step[] = [
  ...on(0, 'run', 'run', 'create', 'create', 'createOther', 'start', 'start'),
  { fault: 'error', method: 'StopContainer' },
  ...on(0, 'stop', 'remove', 'removePod'),
  ...on(1, 'run', 'create', 'start', 'remove', 'stopPod', 'create'),
];

/** Makes one call after the other, whatever the answers are. */
function createActor(m: Mockri) {
  const pods = new Map<number, string>();
  const containers = new Map<number, string>();
  const { client } = m;
  const configOf = (pod: number) => ({
    metadata: { name: `pod-${pod}`, namespace: 'default', uid: `u${pod}`, attempt: 0 },
    linux: {},
  });
  const create = async (pod: number, config: object) => {
    const reply = await client.createContainer({
      podSandboxId: pods.get(pod) ?? 'none',
      config: {
        metadata: { name: 'app', attempt: 0 },
        image: { image: 'busybox:1.36' },
        command: ['sleep', '5'],
        linux: {},
      },
      sandboxConfig: config,
    });
    containers.set(pod, reply.containerId);
  };
  const perform = async ({ do: what, pod }: Extract<Step, { do: unknown }>): Promise<unknown> => {
    const podSandboxId = pods.get(pod) ?? 'none';
    const containerId = containers.get(pod) ?? 'none';
    switch (what) {
      case 'run':
        return pods.set(pod, (await client.runPodSandbox({ config: configOf(pod) })).podSandboxId);
      case 'create':
        return create(pod, configOf(pod));
      case 'createOther':
        return create(pod, configOf(pod + 1));
      case 'start':
        return client.startContainer({ containerId });
      case 'stop':
        return client.stopContainer({ containerId, timeout: 2n });
      case 'remove':
        return client.removeContainer({ containerId });
      case 'stopPod':
        return client.stopPodSandbox({ podSandboxId });
      case 'removePod':
        return client.removePodSandbox({ podSandboxId });
      case 'exec':
        return client.execSync({ containerId, cmd: ['true'], timeout: 0n });
      case 'status':
        return client.containerStatus({ containerId });
      case 'podStatus':
        return client.podSandboxStatus({ podSandboxId });
      case 'list':
        return client.listContainers({});
      default:
        return client.listPodSandbox({});
    }
  };
  return async (given: Step): Promise<void> => {
    if ('fault' in given) {
      const rule = m.fault(given.method).once();
      if (given.fault === 'delay') rule.delay('1s');
      if (given.fault === 'late') rule.do({ delay: '30s', error: { code: 'UNAVAILABLE' } });
      if (given.fault === 'error') rule.error('UNAVAILABLE');
      if (given.fault === 'lost') rule.on('reply').error('UNAVAILABLE');
      return;
    }
    if (given.do === 'wait') return m.advance('3s');
    try {
      await m.runUntil(perform(given));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  };
}

/** What the referee said during the calls, and what the judge says of their tape: rule and object. */
async function bothOf(steps: readonly Step[], referee: 'warn' | 'strict') {
  const record = join(directory(), 'run.tape');
  const m = await startMockri({
    clock: 'virtual',
    referee,
    record,
    presentImages: ['busybox:1.36'],
  });
  try {
    const act = createActor(m);
    for (const each of steps) await act(each);
  } finally {
    await m.close();
  }
  const live = m.findings.map(({ rule, id }) => `${rule} ${id}`);
  const { findings } = await judgeTape(await openTape(record));
  const judged = findings
    .filter(({ side }) => side === 'client')
    .map(({ rule, about }) => `${rule} ${about}`);
  return { live: [...new Set(live)].sort(), judged: [...new Set(judged)].sort(), findings };
}

test('a slow stop is not a failure', async () => {
  const steps: Step[] = [
    { fault: 'delay', method: 'StopPodSandbox' },
    ...on(0, 'run', 'stopPod', 'removePod'),
  ];
  expect(await bothOf(steps, 'warn')).toEqual({ live: [], judged: [], findings: [] });
});

test.each(['warn', 'strict'] as const)(
  'the referee (%s) and the judge of its tape say the same about the same calls',
  async (mode) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 90 }), async (steps) => {
        const { live, judged } = await bothOf(steps, mode);
        expect(judged).toEqual(live);
        for (const each of live) seen.add(each.slice(0, 6));
      }),
      { numRuns: countOf(200, 6), examples: [[[...everyRule]]] },
    );
    // Pings are no calls.
    expect([...seen].sort()).toEqual(Object.keys(refereeRules).filter((rule) => rule !== 'REF-09'));
  },
);
