import { describe, expect, test } from 'vitest';
import { judgeEntries } from '../support/tape/judge-entries.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

const podSandboxId = 'd'.repeat(64);
const containerId = 'c'.repeat(64);
const ofContainer = { containerId };
/** Nanoseconds after the year 2001, from which the times of a runtime are known to be such. */
const BEGIN = 1_800_000_000n * 1_000_000_000n;
const SECOND = 1_000_000_000;
const at = (seconds: number) => String(BEGIN + BigInt(Math.round(seconds * SECOND)));

/** A call that begins and ends at a second each. */
interface Made {
  readonly method: string;
  readonly from: number;
  readonly to: number;
  readonly request?: object;
  readonly reply?: object;
  readonly code?: string;
}

/** The rules that calls show to be broken, each with its text. */
async function foundIn(made: readonly Made[]): Promise<readonly string[]> {
  const entries = made.flatMap(({ method, from, to, request = {}, reply = {}, code = 'OK' }, index) => [
    { t: Math.round(from * SECOND), kind: 'call', call: index + 1, method, connection: 1, message: request },
    code === 'OK'
      ? { t: Math.round(to * SECOND), kind: 'reply', call: index + 1, method, code, message: reply }
      : { t: Math.round(to * SECOND), kind: 'reply', call: index + 1, method, code, details: 'refused' },
  ]);
  const findings = await judgeEntries(
    directory(),
    entries.sort((a, b) => a.t - b.t),
    BEGIN,
  );
  return findings.filter(({ side }) => side === 'runtime').map(({ rule, message }) => `${rule}: ${message}`);
}

const metadata = { name: 'app', attempt: 0 };
const made: readonly Made[] = [
  {
    ...{ method: 'RunPodSandbox', from: 1, to: 2 },
    request: { config: { metadata: { name: 'web', namespace: 'default', uid: 'u' } } },
    reply: { podSandboxId },
  },
  {
    ...{ method: 'CreateContainer', from: 3, to: 4 },
    ...{ request: { podSandboxId, config: { metadata } }, reply: ofContainer },
  },
];
const call = (method: string, from: number, to: number, more: Partial<Made> = {}): Made => ({
  ...{ method, from, to, request: ofContainer },
  ...more,
});
const status = (second: number, more: object): Made => ({
  ...call('ContainerStatus', second, second + 0.1),
  reply: { status: { ...shown, ...more } },
});
const list = (second: number, containers: readonly object[]): Made => ({
  ...{ method: 'ListContainers', from: second, to: second + 0.1, reply: { containers } },
});
const image = { imageId: 'i', imageRef: 'i' };
const shown = { id: containerId, metadata, ...image, createdAt: at(3.5), state: 'CONTAINER_CREATED' };
const exited = {
  ...{ state: 'CONTAINER_EXITED', startedAt: at(6), exitCode: 137, reason: 'Error' },
};

describe('a created container', () => {
  test.each([
    ['StopContainer', { containerId, timeout: 1 }],
    ['StopPodSandbox', { podSandboxId }],
  ])('that %s ends is a finding about the stop', async (method, request) => {
    const end = status(7, { ...exited, startedAt: '0', finishedAt: at(5.5) });
    const found = await foundIn([...made, { method, from: 5, to: 6, request }, end]);
    expect(found).toEqual([
      'INV-04.stop-created: app attempt 0 is EXITED after a stop, and nobody has started it',
    ]);
  });

  test('that a stop of its pod ended during its creation is a finding about the stop', async () => {
    const [sandbox, creation] = made as readonly [Made, Made];
    const stop = { method: 'StopPodSandbox', from: 3.5, to: 5, request: { podSandboxId } };
    const end = status(7, { ...exited, startedAt: '0', finishedAt: at(4.5) });
    const found = await foundIn([sandbox, creation, stop, end]);
    expect(found).toEqual([
      'INV-04.stop-created: app attempt 0 is EXITED after a stop, and nobody has started it',
    ]);
  });

  test.each([
    ['that ends without a stop', [], { ...exited, startedAt: '0', finishedAt: at(5.5) }, 'EXITED'],
    [
      'that runs after a stop',
      [call('StopContainer', 5, 6)],
      { state: 'CONTAINER_RUNNING', startedAt: at(5.5) },
      'RUNNING',
    ],
  ])('%s is a finding about its life', async (_, stops, state, word) => {
    expect(await foundIn([...made, ...stops, status(7, state)])).toEqual([
      `INV-02.lifecycle: app attempt 0 is ${word}, and nobody has started it`,
    ]);
  });
});

describe('of two starts at the same time', () => {
  const refused = { code: 'FAILED_PRECONDITION' };

  test('the one that fails after the other has succeeded must not remove the container', async () => {
    const starts = [call('StartContainer', 5, 6), call('StartContainer', 5.5, 7, refused)];
    expect(await foundIn([...made, ...starts, list(8, [])])).toEqual([
      'INV-15.start: ListContainers lacks app attempt 0, which a StartContainer has removed that failed during another one',
    ]);
  });

  test('one that fails and keeps the container is not a finding, nor the reason for later ones', async () => {
    const starts = [call('StartContainer', 5, 6), call('StartContainer', 5.5, 7, refused)];
    const { imageId, imageRef, metadata, createdAt } = shown;
    const running = {
      id: containerId,
      podSandboxId,
      imageId,
      imageRef,
      metadata,
      createdAt,
      state: 'CONTAINER_RUNNING',
    };
    expect(await foundIn([...made, ...starts, list(8, [running])])).toEqual([]);
    expect(await foundIn([...made, ...starts, list(8, [running]), list(9, [])])).toEqual([
      'INV-21.snapshot: ListContainers lacks app attempt 0, which was not removed',
    ]);
  });

  test('one that fails later is not blamed for a container that disappears', async () => {
    const starts = [call('StartContainer', 5, 6), call('StartContainer', 6.5, 7, refused)];
    expect(await foundIn([...made, ...starts, list(8, [])])).toEqual([
      'INV-21.snapshot: ListContainers lacks app attempt 0, which was not removed',
    ]);
  });

  test('a later removal explains the missing container', async () => {
    const starts = [call('StartContainer', 5, 6), call('StartContainer', 5.5, 7, refused)];
    const removal = call('RemoveContainer', 7.5, 7.6);
    expect(await foundIn([...made, ...starts, removal, list(8, [])])).toEqual([]);
  });
});

describe('created_at', () => {
  const listed = { ...shown, podSandboxId, createdAt: at(3.2) };

  test('that differs between a list and a status is a finding about both', async () => {
    expect(
      await foundIn([...made, list(5, [listed]), status(6, {}), list(7, [listed]), status(8, {})]),
    ).toEqual([
      `INV-18.containers: created_at of app attempt 0 is ${at(3.2)} in the list and ${at(3.5)} in the status`,
    ]);
  });

  test.each([
    ['statuses', [status(5, {}), status(6, { createdAt: at(3.6) })], [3.5, 3.6]],
    ['lists', [list(5, [listed]), list(6, [{ ...listed, createdAt: at(3.3) }])], [3.2, 3.3]],
  ])('that changes between two %s is a finding about time', async (_, looks, [was = 0, is = 0]) => {
    expect(await foundIn([...made, ...looks])).toEqual([
      `INV-26.constant: created_at was ${at(was)} and is ${at(is)}`,
    ]);
  });
});

describe('finished_at after a stop', () => {
  const running = [
    call('StartContainer', 5, 6),
    call('StopContainer', 7, 8, { request: { containerId, timeout: 0 } }),
  ];
  const again = call('StopContainer', 20, 21);

  test('that is within another stop was set again', async () => {
    const end = status(22, { ...exited, finishedAt: at(20.5) });
    expect(await foundIn([...made, ...running, again, end])).toEqual([
      'INV-07.exited-is-final: finished_at of app is 13.50 s after StopContainer with timeout 0, in another StopContainer',
    ]);
  });

  test('that is within another stop, which is still in progress, was set again', async () => {
    const end = status(20.6, { ...exited, finishedAt: at(20.5) });
    expect(await foundIn([...made, ...running, again, end])).toEqual([
      'INV-07.exited-is-final: finished_at of app is 13.50 s after StopContainer with timeout 0, in another StopContainer',
    ]);
  });

  test.each([
    ['before another stop', 15],
    ['after another stop', 25],
  ])('%s comes too late', async (_, second) => {
    const end = status(30, { ...exited, finishedAt: at(second) });
    expect(await foundIn([...made, ...running, again, end])).toEqual([
      `INV-28.grace: app ended ${second - 7}.00 s after StopContainer with timeout 0, which was over before`,
    ]);
  });
});
