import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { aStatus, probe } from '../../../test/support/kubelet/probe-manager.js';
import { dialer } from '../../../test/support/kubelet/probe-targets.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { kubeletVersion } from '../config/version.js';
import { createProber, type ProbeTarget } from './prober.js';

/** A liveness probe of a running container. */
const targetOf = (container: ProbeTarget['container'], probed: ProbeTarget['probe']): ProbeTarget => ({
  pod: aPod({ containers: [container] }),
  container,
  containerId: 'c1',
  kind: 'liveness',
  probe: probed,
  status: aStatus({ kind: 'running', startedAt: 0n }),
  signal: new AbortController().signal,
});

const common = {
  random: createRandom(1),
  recorder: { event: () => {} },
  version: kubeletVersion('1.36'),
};

test('a command can refer to the container’s variables, with their literal values', async () => {
  const commands: unknown[] = [];
  const clock = createVirtualClock();
  const container = aContainer({
    env: [
      { name: 'DIR', value: '/tmp' },
      { name: 'FILE', value: '$(DIR)/ok' },
    ],
  });
  const client = {
    execSync: async (_id: string, command: readonly string[]) => {
      commands.push(command);
      return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    },
  };
  const run = createProber({ ...common, ...dialer(clock), client });
  const done = clock.run(() =>
    run(targetOf(container, probe({ exec: { command: ['cat', '$(FILE)', '$$(DIR)', '$(NONE)'] } }))),
  );
  await clock.advance(0);
  await done;
  expect(commands).toEqual([['cat', '$(DIR)/ok', '$(DIR)', '$(NONE)']]);
});

test('a command reaches the runtime after what else is called in this instant', async () => {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const execSync = async () => {
    calls.push('ExecSync');
    return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  };
  const run = createProber({ ...common, ...dialer(clock), client: { execSync } });
  clock.setTimer(0, () => void calls.push('StopContainer'));
  const done = clock.run(() => run(targetOf(aContainer(), probe({ exec: { command: ['true'] } }))));
  await clock.advance(0);
  await done;
  expect(calls).toEqual(['StopContainer', 'ExecSync']);
});

test('a command that fails is tried again before or after what else is called in this instant', async () => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) {
    const clock = createVirtualClock();
    const calls: string[] = [];
    const execSync = async () => {
      calls.push('ExecSync');
      if (calls.length === 1) clock.setTimer(0, () => void calls.push('RemoveContainer'));
      throw new Error('the container has ended');
    };
    const run = createProber({
      ...common,
      ...dialer(clock),
      random: createRandom(seed),
      client: { execSync },
    });
    const done = clock.run(() => run(targetOf(aContainer(), probe({ exec: { command: ['true'] } }))));
    await clock.advance(0);
    await done;
    outcomes.add(`${calls.indexOf('RemoveContainer')} of ${calls.length}`);
  }
  expect([...outcomes].sort()).toEqual(['1 of 4', '2 of 4', '3 of 4']);
});

test('an httpGet whose response breaks off is an error with result failure, and is tried three times', async () => {
  const clock = createVirtualClock();
  const events: string[] = [];
  let asked = 0;
  clock.loopback.listen('127.64.0.1', 8080, (connection) => {
    connection.on('data', () => {
      asked++;
      connection.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nso');
    });
  });
  const httpGet = { path: '/', port: 8080, host: '127.64.0.1', scheme: 'HTTP', httpHeaders: [] } as const;
  const run = createProber({
    ...common,
    ...dialer(clock),
    client: { execSync: () => Promise.reject(new Error('unused')) },
    recorder: { event: (_pod, _type, reason, message) => events.push(`${reason}: ${message}`) },
  });
  const done = clock.run(() => run(targetOf(aContainer(), { ...probe(), exec: undefined, httpGet })));
  await clock.advance(10_000);
  expect(await done).toBeUndefined();
  expect(asked).toBe(3);
  expect(events).toEqual(['Unhealthy: Liveness probe errored and resulted in failure state: unexpected EOF']);
});
