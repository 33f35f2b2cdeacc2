import { expect, test } from 'vitest';
import { type LoggedCall, loggingConnect } from '../support/recordings/calls.js';
import { run } from '../support/scenario/simulate.js';

/** A pod that has ended, and that is deleted between two rounds of housekeeping before garbage is collected. */
const ENDED = {
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'nginx:1' }] },
  },
  behaviors: { app: 'exit=0,after=1s' },
};

test('garbage collection runs before or after the housekeeping of the same instant, which finds a removed pod', async () => {
  const minutes = new Set<number>();
  for (let seed = 1; seed <= 12; seed++) {
    const calls: LoggedCall[] = [];
    const timeline = [{ at: '59s', do: { removePod: 'web' } }];
    await run({ seed, pods: [ENDED], timeline, until: '125s' }, { connect: loggingConnect(calls) });
    minutes.add(Math.round((calls.find(({ rpc }) => rpc === 'RemovePodSandbox')?.t ?? 0) / 60));
  }
  expect([...minutes].sort()).toEqual([1, 2]);
});
