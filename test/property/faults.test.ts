import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CallError } from '../../src/cri/client/call-error.js';
import { actionTable } from '../../src/runtime/faults/language/action-table.js';
import type { ActionName } from '../../src/runtime/faults/language/actions.js';
import type { FaultInput } from '../../src/runtime/faults/language/rule-schema.js';
import { faultSchema } from '../../src/runtime/faults/language/schema.js';
import type { Trigger } from '../../src/runtime/faults/language/trigger.js';
import { type Mockri, startMockri } from '../../src/testing/index.js';
import { actionOptions, anyRule, rpcActions } from '../support/faults/random-rules.js';
import fc from '../support/properties.js';
import { countOf, ofAll, sampleOf } from '../support/thorough.js';
import { until } from '../support/turns.js';
import { createFakeBackend } from './fake-backend.js';

type Command = readonly [kind: string, pod: number];
const kinds = [
  'run',
  'create',
  'start',
  'stop',
  'remove',
  'stopPod',
  'removePod',
  'status',
  'podStatus',
  'list',
  'listPods',
  'version',
  'conditions',
  'pull',
  'images',
  'exec',
  'streamed',
  'wait',
  'wait',
] as const;
const command: fc.Arbitrary<Command> = fc.tuple(fc.constantFrom(...kinds), fc.nat(2));

/** Executes commands with one client; keeps the replies. */
function createActor(m: Mockri) {
  const pods = new Map<number, string>();
  const containers = new Map<number, string>();
  const { client } = m;
  // Longer than any healthy call.
  const limits = { timeout: 300_000 };
  const perform = async ([kind, number]: Command): Promise<unknown> => {
    const podSandboxId = pods.get(number) ?? 'none';
    const containerId = containers.get(number) ?? 'none';
    const sandboxConfig = {
      metadata: { name: `pod-${number}`, namespace: 'default', uid: `u${number}`, attempt: 0 },
      linux: {},
    };
    switch (kind) {
      case 'run': {
        const reply = await client.runPodSandbox({ config: sandboxConfig }, limits);
        pods.set(number, reply.podSandboxId);
        return reply;
      }
      case 'create': {
        const config = {
          metadata: { name: 'app', attempt: 0 },
          image: { image: 'busybox' },
          command: ['sleep', '50'],
          linux: {},
        };
        const reply = await client.createContainer({ podSandboxId, config, sandboxConfig }, limits);
        containers.set(number, reply.containerId);
        return reply;
      }
      case 'start':
        return client.startContainer({ containerId }, limits);
      case 'stop':
        return client.stopContainer({ containerId, timeout: 2n }, limits);
      case 'remove':
        return client.removeContainer({ containerId }, limits);
      case 'stopPod':
        return client.stopPodSandbox({ podSandboxId }, limits);
      case 'removePod':
        return client.removePodSandbox({ podSandboxId }, limits);
      case 'status':
        return client.containerStatus({ containerId }, limits);
      case 'podStatus':
        return client.podSandboxStatus({ podSandboxId }, limits);
      case 'list':
        return client.listContainers({}, limits);
      case 'listPods':
        return client.listPodSandbox({}, limits);
      case 'conditions':
        return client.status({}, limits);
      case 'pull':
        return client.pullImage({ image: { image: 'busybox' } }, limits);
      case 'images':
        return client.listImages({}, limits);
      case 'exec':
        return client.execSync({ containerId, cmd: ['exit', '3'], timeout: 0n }, limits);
      case 'streamed': {
        const messages: unknown[] = [];
        for await (const message of client.streamContainers({}, limits)) messages.push(message);
        return messages;
      }
      default:
        return client.version({}, limits);
    }
  };
  return {
    /** The reply, or `CODE text`. */
    act: async (given: Command): Promise<unknown> => {
      if (given[0] === 'wait') return m.advance(given[1] * 3000);
      try {
        return await m.runUntil(perform(given));
      } catch (error) {
        if (error instanceof CallError) return `${error.codeName} ${error.details}`;
        throw error;
      }
    },
    forget: () => {
      pods.clear();
      containers.clear();
    },
  };
}

async function start(defects: unknown[]): Promise<Mockri> {
  return startMockri({
    clock: 'virtual',
    backend: (clock) => createFakeBackend(clock),
    referee: 'off',
    warn: (_, error) => defects.push(error),
  });
}

/** Replies with ids numbered by first appearance, and times relative to the start of the comparison. */
function normalize(replies: readonly unknown[], base: bigint): unknown {
  const ids = new Map<string, string>();
  const number = (id: string) => {
    if (!ids.has(id)) ids.set(id, `#${ids.size}`);
    return ids.get(id) ?? '';
  };
  const text = JSON.stringify(replies, (_, value) => {
    if (typeof value === 'bigint') return value > 10n ** 17n ? `+${value - base}` : `${value}`;
    return value;
  });
  return JSON.parse(text.replace(/[0-9a-f]{64}|\b10\.\d+\.\d+\.\d+\b/g, number));
}

/** Replies of a healthy server, starting from an empty runtime. */
async function answers(m: Mockri, commands: readonly Command[]): Promise<unknown> {
  const actor = createActor(m);
  await m.advance('1s');
  const base = m.clock.now();
  const begun = m.clock.elapsed();
  const replies: unknown[] = [];
  for (const each of [['pull', 0] as const, ...commands])
    replies.push([await actor.act(each), Math.round(m.clock.elapsed() - begun)]);
  return normalize(replies, base);
}

/** Each action with each trigger; actions that wait for bytes need a real clock, and no command here opens a session. */
const kindsOfRule = rpcActions.flatMap((action) =>
  actionTable[action].on
    .filter((on) => on !== 'session')
    .filter((on) => on !== 'connection' || !['stall', 'latency', 'throttle'].includes(action))
    .map((on) => ({ action, on })),
);

/** A rule that acts on everything it can; the commands of `provocation` trigger each rule. */
const broadRule = (action: ActionName, on: Trigger): fc.Arbitrary<FaultInput> =>
  fc
    .record({
      name: fc.constant('broad'),
      match: fc.constant(['exit', 'oom'].includes(action) ? { container: { name: 'app' } } : {}),
      on: fc.constant(on),
      when: fc.constantFrom({}, { times: 1 }),
      then: fc.record({ [action]: optionsOf(action, on) }),
    })
    .map((given) => JSON.parse(JSON.stringify(given)) as FaultInput)
    .filter((given) => faultSchema.safeParse(given).success);

const optionsOf = (action: ActionName, on: Trigger): fc.Arbitrary<object> =>
  action === 'throttle' && on === 'message'
    ? fc.record({ perSecond: fc.constantFrom(0.5, 10) })
    : (actionOptions[action] ?? fc.constant({}));

const healthyLife = ['pull', 'run', 'create', 'start'] as const;
const provocation = [
  ...(['status', 'start', 'conditions', 'list', 'streamed'] as const),
  ...(['stop', 'remove', 'create'] as const),
];

const some = sampleOf(kindsOfRule, 12);

describe(`no defect, no leak, and after reset a server like one without rules (${ofAll(some.length, kindsOfRule.length, 'kinds of rule')})`, () => {
  test.each(some)('with $action on $on first among the rules', async ({ action, on }) => {
    await fc.assert(
      fc.asyncProperty(
        broadRule(action, on),
        fc.array(anyRule, { maxLength: 6 }),
        fc.array(command, { maxLength: 8 }),
        fc.array(command, { minLength: 5, maxLength: 20 }),
        async (broad, rules, before, after) => {
          const defects: unknown[] = [];
          const tried = await start(defects);
          const untouched = await start(defects);
          try {
            const actor = createActor(tried);
            const leave = new AbortController();
            for (const kind of healthyLife) await actor.act([kind, 0]);
            const watching = watchEvents(tried, leave.signal);
            await until(() => tried.runtime.eventStats.queues.length === 1);
            tried.addFault(broad);
            await tried.advance('1ms');
            await knock(tried);
            for (const kind of provocation) await actor.act([kind, 0]);
            expect(tried.faults[0]?.applied).toBeGreaterThan(0);
            for (const each of rules) addUnlessRefused(tried, each);
            await knock(tried);
            for (const kind of healthyLife) await actor.act([kind, 1]);
            for (const each of before) await actor.act(each);

            tried.reset();
            leave.abort();
            await watching;
            await tried.client.waitForReady(10_000);
            // Late work and held calls end now.
            await tried.advance('1h');
            await tried.runUntil(tried.runtime.loseState());
            expect(await answers(tried, after)).toEqual(await answers(untouched, after));

            await until(() => tried.runtime.eventStats.queues.length === 0 && tried.connections <= 1);
            expect(tried.faults).toEqual([]);
            expect(defects).toEqual([]);
          } finally {
            await Promise.all([tried.close(), untouched.close()]);
          }
        },
      ),
      { numRuns: countOf(2, 1) },
    );
  });
});

/** A client that connects, waits for the server's first bytes or its disconnect, and closes. */
async function knock({ endpoint }: Mockri): Promise<void> {
  const socket = connect(endpoint.replace('unix://', ''));
  socket.on('error', () => {}).write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  await new Promise<void>((resolve) => socket.once('data', () => resolve()).once('close', () => resolve()));
  socket.destroy();
}

async function watchEvents(m: Mockri, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of m.client.getContainerEvents({}, { signal }));
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
  }
}

/** Rules that wait for bytes are rejected with a virtual clock. */
function addUnlessRefused(m: Mockri, given: FaultInput): void {
  try {
    m.addFault(given);
  } catch (error) {
    if (!/needs real time/.test(String(error))) throw error;
  }
}
