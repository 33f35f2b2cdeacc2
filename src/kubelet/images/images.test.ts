import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { CallError } from '../../cri/client/call-error.js';
import { referenceFault } from '../../cri/reference-fault.js';
import { kubeletVersion } from '../config/version.js';
import { createRecorder } from '../events/recorder.js';
import { noObjects } from '../kube-objects.js';
import { StartError } from '../types/ports.js';
import { createImageManager } from './image-manager.js';
import { createPullRecords } from './pull-records.js';

interface Options {
  version?: string;
  present?: boolean;
  fails?: Error;
  /** Duration of ImageStatus, ms. */
  slow?: number;
  annotations?: Record<string, string>;
  parallelPulls?: number;
}

function setup(options: Options = {}) {
  const clock = createVirtualClock();
  const events: string[] = [];
  const calls: string[] = [];
  const requests: unknown[] = [];
  const registry = { present: options.present ?? false, fails: options.fails };
  const manager = createImageManager({
    clock,
    version: kubeletVersion(options.version ?? '1.36'),
    signal: new AbortController().signal,
    requestTimeout: 120_000,
    parallelPulls: options.parallelPulls ?? 1,
    objects: noObjects,
    pullRecords: createPullRecords(),
    recorder: createRecorder(clock, ({ type, reason, message }) =>
      events.push(`${type} ${reason}: ${message}`),
    ),
    cri: {
      imageStatus: async ({ image: asked }) => {
        calls.push('ImageStatus');
        requests.push(asked);
        if (options.slow !== undefined) await clock.sleep(options.slow);
        const image = {
          id: 'sha256:1',
          size: 4711n,
          repoTags: [],
          repoDigests: [],
          username: '',
          pinned: false,
        };
        return {
          image: registry.present ? { ...image, uid: undefined, spec: undefined } : undefined,
          info: {},
        };
      },
      pullImage: async ({ image: asked }) => {
        calls.push('PullImage');
        requests.push(asked);
        await clock.sleep(1500);
        if (registry.fails !== undefined) throw registry.fails;
        registry.present = true;
        return { imageRef: 'sha256:1' };
      },
    },
  });
  const ensure = async (container: Parameters<typeof aContainer>[0] = {}) => {
    const pod = aPod({}, { annotations: options.annotations ?? {} });
    const run = manager.ensure(pod, aContainer({ image: 'web:1', ...container }), undefined);
    const result = run.then(
      (id) => id,
      (error: unknown) => (error instanceof StartError ? `${error.reason}: ${error.message}` : error),
    );
    await clock.advance(1500 + 2 * (options.slow ?? 0));
    return result;
  };
  return { clock, events, calls, requests, registry, manager, ensure };
}

const notFound = new CallError(5, 'no such image');

describe('an image', () => {
  test('that is present is not pulled', async () => {
    const { ensure, events, calls } = setup({ present: true });
    expect(await ensure()).toBe('sha256:1');
    expect(calls).toEqual(['ImageStatus']);
    expect(events).toEqual([
      'Normal Pulled: Container image "web:1" already present on machine and can be accessed by the pod',
    ]);
  });

  test('that is present has a shorter message in older versions', async () => {
    const { ensure, events } = setup({ present: true, version: '1.34' });
    await ensure();
    expect(events).toEqual(['Normal Pulled: Container image "web:1" already present on machine']);
  });

  test('is looked up for longer than other things of this instant take, even on a runtime that takes no time', async () => {
    const { clock, ensure, events } = setup({ present: true });
    // As a probe does: it connects, it has a result, and the loop gets it.
    const turn = (left: number): void => {
      clock.setTimer(0, () => (left > 1 ? turn(left - 1) : void events.push('a probe fails')));
    };
    turn(3);
    await ensure();
    expect(events).toEqual(['a probe fails', expect.stringContaining('already present')]);
  });

  test('that is missing is pulled', async () => {
    const { ensure, events, calls } = setup();
    expect(await ensure()).toBe('sha256:1');
    expect(calls).toEqual(['ImageStatus', 'PullImage', 'ImageStatus']);
    expect(events).toEqual([
      'Normal Pulling: Pulling image "web:1"',
      'Normal Pulled: Successfully pulled image "web:1" in 1.5s (1.5s including waiting). Image size: 4711 bytes.',
    ]);
  });

  test('with the policy Always is pulled although it is present', async () => {
    const { ensure, calls } = setup({ present: true });
    await ensure({ imagePullPolicy: 'Always' });
    expect(calls).toEqual(['PullImage', 'ImageStatus']);
  });

  test('with the policy Never fails when it is missing', async () => {
    const { ensure, events, calls } = setup();
    expect(await ensure({ imagePullPolicy: 'Never' })).toBe(
      'ErrImageNeverPull: Container image "web:1" is not present with pull policy of Never',
    );
    expect(calls).toEqual(['ImageStatus']);
    expect(events[0]).toMatch(/^Warning ErrImageNeverPull: /);
  });

  test('whose name is invalid is not looked up', async () => {
    const { ensure, calls } = setup();
    expect(await ensure({ image: 'Web:1' })).toMatch(
      /^InvalidImageName: Failed to apply default image tag "Web:1"/,
    );
    expect(calls).toEqual([]);
  });

  test.each([
    [
      'RegistryUnavailable: down',
      'RegistryUnavailable: image pull failed for web:1 because the registry is unavailable',
    ],
    [
      'SignatureValidationFailed',
      'SignatureValidationFailed: image pull failed for web:1 because the signature',
    ],
  ])('fails with the reason from the runtime: %s', async (details, expected) => {
    const { ensure } = setup({ fails: new CallError(2, details) });
    expect(await ensure()).toContain(expected);
  });
});

test.each([
  ['web', 'web:latest'],
  ['host:5000/web', 'host:5000/web:latest'],
  ['web:1', 'web:1'],
  [`web@sha256:${'0'.repeat(64)}`, `web@sha256:${'0'.repeat(64)}`],
])('requests %s with its tag and the annotations of the pod', async (image, asked) => {
  const annotations = { team: 'a' };
  const { ensure, requests, events } = setup({ annotations });
  await ensure({ image });
  expect(requests).toHaveLength(3);
  for (const request of requests) {
    expect(request).toEqual({
      image: asked,
      annotations,
      userSpecifiedImage: '',
      runtimeHandler: '',
      imageRef: '',
    });
  }
  expect(events[0]).toBe(`Normal Pulling: Pulling image "${image}"`);
});

test('from 1.30 on the pull time includes the lookup of the size; before, there is no lookup', async () => {
  const { ensure, events } = setup({ slow: 200 });
  await ensure();
  expect(events.at(-1)).toContain('in 1.7s (1.7s including waiting). Image size: 4711 bytes.');
  const old = setup({ slow: 200, version: '1.29' });
  await old.ensure();
  expect(old.events.at(-1)).toMatch(/in 1\.5s \(1\.5s including waiting\)$/);
  expect(old.calls).toEqual(['ImageStatus', 'PullImage']);
});

test('an error without a specific code is shown without a code, and only its first word can be a reason', async () => {
  const unknown = setup({ fails: new CallError(2, 'no space') });
  expect(await unknown.ensure()).toBe('ErrImagePull: no space');
  expect(unknown.events.at(-1)).toBe('Warning Failed: Failed to pull image "web:1": no space');
  const coded = setup({ fails: new CallError(14, 'RegistryUnavailable: down') });
  expect(await coded.ensure()).toBe(
    'ErrImagePull: rpc error: code = Unavailable desc = RegistryUnavailable: down',
  );
});

test.each([
  [1, ['1.5s (1.5s including waiting)', '1.5s (3s including waiting)', '1.5s (4.5s including waiting)']],
  [2, ['1.5s (1.5s including waiting)', '1.5s (1.5s including waiting)', '1.5s (3s including waiting)']],
])('pulls %i at a time, in the order of the requests', async (parallelPulls, expected) => {
  const { clock, ensure, events } = setup({ parallelPulls });
  const pulls = ['a:1', 'b:1', 'c:1'].map((image) => ensure({ image, imagePullPolicy: 'Always' }));
  await clock.advance(4500);
  await Promise.all(pulls);
  const pulled = events.filter((event) => event.includes('Pulled'));
  expect(pulled.map((event) => /image "(.):1" in (.*)\. /.exec(event)?.slice(1))).toEqual(
    ['a', 'b', 'c'].map((name, index) => [name, expected[index]]),
  );
});

describe('an image that the kubelet has pulled under another name', () => {
  test('is pulled again from 1.35 on, and is missing for a pod that never pulls', async () => {
    const { ensure, calls, events } = setup();
    await ensure();
    await ensure({ image: 'web:2' });
    expect(calls.filter((call) => call === 'PullImage')).toHaveLength(1);
    expect(await ensure({ image: 'other:1', imagePullPolicy: 'Never' })).toMatch(/^ErrImageNeverPull/);
    expect(await ensure({ image: 'other:1' })).toBe('sha256:1');
    expect(calls.filter((call) => call === 'PullImage')).toHaveLength(2);
    expect(events.at(-1)).toContain('Successfully pulled image "other:1"');
    await ensure({ image: 'other:1', imagePullPolicy: 'Never' });
    expect(events.at(-1)).toContain('already present on machine');
  });

  test('is present before 1.35', async () => {
    const { ensure, calls } = setup({ version: '1.34' });
    await ensure();
    await ensure({ image: 'other:1' });
    expect(calls.filter((call) => call === 'PullImage')).toHaveLength(1);
  });
});

describe('the back-off of pulls', () => {
  test('waits 10 s, 20 s, … from the failure and names it', async () => {
    const { clock, ensure, events, calls } = setup({ fails: notFound });
    const cause = 'ErrImagePull: rpc error: code = NotFound desc = no such image';
    expect(await ensure()).toBe(cause);
    expect(events).toEqual([
      'Normal Pulling: Pulling image "web:1"',
      'Warning Failed: Failed to pull image "web:1": rpc error: code = NotFound desc = no such image',
    ]);
    events.length = 0;
    expect(await ensure()).toBe(`ImagePullBackOff: Back-off pulling image "web:1": ${cause}`);
    expect(events).toEqual(['Normal BackOff: Back-off pulling image "web:1"']);
    await clock.advance(8_500);
    expect(await ensure()).toBe(cause);
    await clock.advance(18_500);
    expect(await ensure()).toMatch(/^ImagePullBackOff/);
    expect(await ensure()).toBe(cause);
    expect(calls.filter((call) => call === 'PullImage')).toHaveLength(3);
  });

  test('does not include the error before 1.32', async () => {
    const { ensure } = setup({ fails: notFound, version: '1.31' });
    await ensure();
    expect(await ensure()).toBe('ImagePullBackOff: Back-off pulling image "web:1"');
  });
});

const INVALID = 'invalid reference format';

test.each([
  ['busybox', undefined],
  ['localhost:5000/nope:1', undefined],
  ['registry.k8s.io/e2e-test-images/busybox:1.29-2', undefined],
  [`busybox@sha256:${'0'.repeat(64)}`, undefined],
  ['Busybox', `${INVALID}: repository name (library/Busybox) must be lowercase`],
  ['Host/busybox', undefined],
  ['busybox:', INVALID],
  ['a b', INVALID],
  ['', INVALID],
  ['busybox@sha256:12', INVALID],
  ['0'.repeat(64), `invalid repository name (${'0'.repeat(64)}), cannot specify 64-byte hexadecimal strings`],
  ['a'.repeat(300), 'repository name must not be more than 255 characters'],
])('%s as an image name', (text, fault) => expect(referenceFault(text)).toBe(fault));

test.each([
  ['1.36', [1, 1]],
  ['1.37', [0, 1]],
])(
  'kubelet %s warns of pull secrets that do not exist: before and after a failed pull %j',
  async (version, counts) => {
    const { manager, events, clock } = setup({ version, fails: new Error('no') });
    const pod = aPod({ imagePullSecrets: [{ name: 'gone' }] });
    const warnings = () => events.filter((event) => event.includes('FailedToRetrieveImagePullSecret')).length;
    const pulled = manager.ensure(pod, aContainer({ image: 'web:1' }), undefined).catch(() => {});
    await clock.advance(2000);
    await pulled;
    const first = warnings();
    await manager.pullFailed(pod);
    expect([first, warnings()]).toEqual(counts);
  },
);
