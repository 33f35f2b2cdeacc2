import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/input/yaml.js';
import type { CriClient } from '../../src/cri/client/client.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { openTape } from '../../src/tape/read.js';
import { judgeEntries } from '../support/tape/judge-entries.js';
import { containerConfig, podConfig, recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const judged = async (work: Parameters<typeof recordRun>[1]) => {
  const { findings } = await judgeTape(await openTape(await recordRun({ directory: directory() }, work)));
  return findings.map(({ rule, side }) => `${rule} ${side}`);
};

test('a message that does not fit its type is an error with its line', async () => {
  const file = join(directory(), 'bad.tape');
  const lines = [
    '{"t":0,"kind":"header","version":1,"startedAt":"0","clock":"real","recorder":"test","redacted":[]}',
    '{"t":5,"kind":"call","call":1,"method":"ListContainers","connection":1,"message":{}}',
    '{"t":6,"kind":"reply","call":1,"method":"ListContainers","code":"OK","message":{"containers":"none"}}',
  ];
  writeFileSync(file, lines.join('\n'));
  const problem = 'message: containers: "none" does not fit the field, or there is no such field';
  await expect(judgeTape(await openTape(file))).rejects.toThrow(new InputError([`${file}:3: ${problem}`]));
});

test('a stop that overlaps the start may have come first', async () => {
  const id = 'c'.repeat(64);
  const containerId = { containerId: id };
  const call = (number: number, method: string, message: object) => ({
    ...{ kind: 'call', call: number, method, connection: 1, message },
  });
  const reply = (number: number, method: string, message: object) => ({
    ...{ kind: 'reply', call: number, method, code: 'OK', message },
  });
  const status = { id, metadata: { name: 'app' }, state: 'CONTAINER_RUNNING' };
  const podSandboxId = 'd'.repeat(64);
  const entries = [
    ...[call(1, 'RunPodSandbox', { config: {} }), reply(1, 'RunPodSandbox', { podSandboxId })],
    ...[call(2, 'CreateContainer', { podSandboxId, config: {} }), reply(2, 'CreateContainer', containerId)],
    ...[call(3, 'StopContainer', containerId), call(4, 'StartContainer', containerId)],
    ...[reply(4, 'StartContainer', {}), reply(3, 'StopContainer', {})],
    ...[call(5, 'ContainerStatus', containerId), reply(5, 'ContainerStatus', { status })],
  ];
  const findings = await judgeEntries(
    directory(),
    entries.map((entry, index) => ({ t: index + 1, ...entry })),
  );
  expect(findings.filter(({ rule }) => rule.startsWith('INV-02'))).toEqual([]);
});

describe('a container that runs after a stop', () => {
  const id = 'c'.repeat(64);
  const podSandboxId = 'd'.repeat(64);
  type Exchange = readonly [method: string, message: object, answer: object];
  const looks = (state: string): Exchange => [
    'ContainerStatus',
    { containerId: id },
    { status: { id, metadata: { name: 'app' }, state } },
  ];
  const stop: Exchange = ['StopContainer', { containerId: id }, {}];
  const stopPod: Exchange = ['StopPodSandbox', { podSandboxId }, {}];
  const rulesOf = async (...then: readonly Exchange[]) => {
    const exchanges: readonly Exchange[] = [
      ['RunPodSandbox', { config: {} }, { podSandboxId }],
      ['CreateContainer', { podSandboxId, config: {} }, { containerId: id }],
      ['StartContainer', { containerId: id }, {}],
      ...then,
    ];
    const entries = exchanges.flatMap(([method, message, answer], index) => [
      { kind: 'call', call: index + 1, method, connection: 1, message },
      { kind: 'reply', call: index + 1, method, code: 'OK', message: answer },
    ]);
    const findings = await judgeEntries(
      directory(),
      entries.map((entry, index) => ({ t: index + 1, ...entry })),
    );
    return findings.map(({ rule }) => rule).filter((rule) => /^INV-0[25]/.test(rule));
  };

  test.each([
    [
      'nobody has seen it EXITED: the stop did not end it',
      [stop, looks('CONTAINER_RUNNING')],
      'INV-02.lifecycle',
    ],
    ['nor did the stop of its pod', [stopPod, looks('CONTAINER_RUNNING')], 'INV-05.stops-containers'],
    ['it was EXITED', [looks('CONTAINER_EXITED'), looks('CONTAINER_RUNNING')], 'INV-02.no-restart'],
    [
      'it was EXITED after the stop',
      [stop, looks('CONTAINER_EXITED'), looks('CONTAINER_RUNNING')],
      'INV-02.no-restart',
    ],
    [
      'it was EXITED after the stop of its pod',
      [stopPod, looks('CONTAINER_EXITED'), looks('CONTAINER_RUNNING')],
      'INV-02.no-restart',
    ],
  ])('%s', async (_, then, rule) => expect(await rulesOf(...then)).toEqual([rule]));
});

test('a correct client and runtime have no findings', async () => {
  expect(
    await judged(async (cri) => {
      await wholeLife(cri, 'a');
      await wholeLife(cri, 'b');
    }),
  ).toEqual([]);
});

test('mistakes of the client are found, and blamed on the client', async () => {
  const findings = await judged(async (cri) => {
    const sandboxConfig = podConfig('web');
    const config = containerConfig('app');
    await cri.pullImage({ image: config.image, auth: undefined, sandboxConfig });
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
    await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' }).catch(() => {});
    const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.createContainer({ podSandboxId, config, sandboxConfig }).catch(() => {});
    await cri.createContainer({ podSandboxId, config, sandboxConfig: podConfig('other') }).catch(() => {});
    await cri.startContainer({ containerId });
    await cri.startContainer({ containerId }).catch(() => {});
    await cri.removeContainer({ containerId });
    await cri.removePodSandbox({ podSandboxId });
    const second = await cri.runPodSandbox({ config: podConfig('two'), runtimeHandler: '' });
    await cri.stopPodSandbox(second);
    await cri.createContainer({ ...second, config, sandboxConfig: podConfig('two') }).catch(() => {});
  });
  expect(findings.sort()).toEqual([
    'REF-01 client',
    'REF-02 client',
    'REF-03 client',
    'REF-04 client',
    'REF-05 client',
    'REF-06 client',
    'REF-08 client',
  ]);
});

test.each([
  ['delay', 'call', ['REF-03']],
  ['delay', 'reply', ['REF-03']],
  ['delay', 'message', ['REF-03']],
  ['drop', 'message', ['REF-03']],
  ['clockSkew', 'time', ['REF-03']],
  ['loseState', 'time', []],
  ['restart', 'call', []],
])('a %s of a %s takes away only what it can have changed', async (action, on, expected) => {
  const file = join(directory(), 'delayed.tape');
  const config = { metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 } };
  const entries = [
    { kind: 'header', version: 1, startedAt: '0', clock: 'real', recorder: 'test', redacted: [] },
    { kind: 'call', call: 1, method: 'RunPodSandbox', connection: 1, message: { config } },
    {
      kind: 'reply',
      call: 1,
      method: 'RunPodSandbox',
      code: 'OK',
      message: { podSandboxId: 'a'.repeat(64) },
    },
    { kind: 'fault', rule: 'bad', action, on, method: 'ContainerStatus' },
    { kind: 'call', call: 2, method: 'RunPodSandbox', connection: 1, message: { config } },
    { kind: 'reply', call: 2, method: 'RunPodSandbox', code: 'ALREADY_EXISTS', details: 'is reserved for' },
  ];
  writeFileSync(file, entries.map((entry, t) => JSON.stringify({ t, ...entry })).join('\n'));
  const { findings } = await judgeTape(await openTape(file), 'client');
  expect(findings.map(({ rule }) => rule)).toEqual(expected);
});

/** What a kubelet notes on its containers. */
const notes = (restartCount: number) => ({ 'io.kubernetes.container.restartCount': String(restartCount) });

describe('the containers of a kubelet', () => {
  const started = async (cri: CriClient, podSandboxId: string, attempt: number, annotations = {}) => {
    const sandboxConfig = podConfig('web');
    const config = containerConfig('app', { metadata: { name: 'app', attempt }, annotations });
    const made = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.startContainer(made);
    return made;
  };
  const sandbox = async (cri: CriClient) => {
    const sandboxConfig = podConfig('web');
    const image = containerConfig('app').image;
    await cri.pullImage({ image, auth: undefined, sandboxConfig });
    return (await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' })).podSandboxId;
  };
  const replaced = async (cri: CriClient, podSandboxId: string, attempts: readonly number[]) => {
    for (const attempt of attempts) {
      const made = await started(cri, podSandboxId, attempt, notes(attempt));
      await cri.stopContainer({ ...made, timeout: 1n });
    }
  };

  test('two concurrent instances of a container are a finding', async () => {
    const file = await recordRun({ directory: directory() }, async (cri) => {
      const id = await sandbox(cri);
      await started(cri, id, 0, notes(0));
      await started(cri, id, 1, notes(1));
    });
    const { findings } = await judgeTape(await openTape(file));
    expect(findings).toMatchObject([
      { rule: 'one-instance', side: 'client', about: 'default/web/app', lines: [expect.any(Number), 13] },
    ]);
  });

  test('an attempt that is lower than the one before is a finding, a higher one is not', async () => {
    expect(await judged(async (cri) => replaced(cri, await sandbox(cri), [0, 1, 2]))).toEqual([]);
    expect(await judged(async (cri) => replaced(cri, await sandbox(cri), [4, 2]))).toEqual([
      'attempts-grow client',
    ]);
  });

  test('restarts without back-off are a finding', async () => {
    const attempts = Array.from({ length: 12 }, (_, attempt) => attempt);
    const short = async (cri: CriClient) => {
      const id = await sandbox(cri);
      for (const attempt of attempts)
        await cri.stopContainer({ ...(await started(cri, id, attempt, notes(attempt))), timeout: 0n });
    };
    expect(await judged(short)).toEqual(['backs-off client']);
  });

  test('a removed container may be created again', async () => {
    const again = async (cri: CriClient) => {
      const id = await sandbox(cri);
      for (const attempt of [3, 0]) {
        const made = await started(cri, id, attempt, notes(attempt));
        await cri.stopContainer({ ...made, timeout: 1n });
        await cri.removeContainer(made);
      }
    };
    expect(await judged(again)).toEqual([]);
  });

  test('clients other than kubelets may run anything', async () => {
    const other = async (cri: CriClient) => {
      const id = await sandbox(cri);
      await started(cri, id, 1);
      await started(cri, id, 0);
    };
    expect(await judged(other)).toEqual([]);
  });
});
