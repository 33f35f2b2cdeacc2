import { expect, test } from 'vitest';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { evidenceOf } from './evidence.js';

const evidenceIn = (text: string) =>
  evidenceOf(joinSeen([readLines(text, 'saw.txt').seen], new Map([['web', 0]])));

test('an error of an event is that of the call, with its code and text, for the image that it names', () => {
  const message = 'Failed to pull image "a/b:1": rpc error: code = NotFound desc = no such image';
  const [lasting] = evidenceIn(`12.0s   Warning   Failed   web   ${message}`);
  expect(lasting?.rules[0]).toEqual({
    match: { method: 'PullImage', pod: { name: 'web' }, request: { image: { image: 'a/b:1' } } },
    when: { during: { from: '11s', for: '1.5s' } },
    then: { error: { code: 'NOT_FOUND', message: 'no such image' } },
  });
});

test('a row shows that a call failed: since the pod waited for it, or since before the first row', () => {
  const late = 'web 0/1 ImagePullBackOff 0 77s\nweb 0/1 ErrImagePull 0 108s';
  const whens = (text: string) =>
    evidenceIn(text).map(({ rules: [rule] }) => [rule?.match?.method, rule?.when]);
  expect(whens(late)).toEqual([
    ['PullImage', { during: { for: '1m49.5s' } }],
    ['PullImage', {}],
    ['PullImage', { times: 2 }],
  ]);
  const whole = 'web 0/1 ContainerCreating 0 10s\nweb 0/1 RunContainerError 0 15s\nweb 1/1 Running 1 60s';
  expect(whens(whole)).toEqual([
    ['StartContainer', { during: { from: '10s', for: '6.5s' } }],
    ['StartContainer', { during: { from: '10s' } }],
    ['StartContainer', { during: { from: '10s' }, times: 1 }],
  ]);
});

test('a container that is restarted because its definition changed shows the upgrade of the kubelet that changes its hash', () => {
  const [upgrade, ...more] = evidenceIn(
    '61.2s   Normal   Killing   web   Container app definition changed, will be restarted',
  );
  expect(upgrade?.steps).toEqual([{ at: 60_000, kubelet: { version: '1.31' } }]);
  expect(upgrade?.text).toBe('kubelet upgraded from 1.30 to 1.31, at 1m0s');
  expect(more).toEqual([]);
});

test('what an event says is not said again by a row', () => {
  const text = `web 0/1 ErrImagePull 0 12s
12.0s   Warning   Failed   web   Failed to pull image "a": rpc error: code = NotFound desc = none`;
  expect(new Set(evidenceIn(text).map(({ rules: [rule] }) => JSON.stringify(rule?.then))).size).toBe(1);
});

test('equal events one after the other are one error that lasts', () => {
  const line = 'Warning   Failed   web   Error: code = Unknown desc = no';
  const all = evidenceIn(
    `12.0s   ${line}\n40.0s   ${line}\n90.0s   ${line}\n95.0s   Normal   Started   web   x`,
  );
  const create = all.filter(({ rules: [rule] }) => rule?.match?.method === 'CreateContainer');
  expect(create.map(({ rules: [rule] }) => rule?.when)).toEqual([
    { during: { from: '11s', for: '1m19.5s' } },
    { during: { from: '11s' } },
    { during: { from: '11s' }, times: 3 },
  ]);
});

test.each([
  [
    'CreateContainer',
    'Error: code = AlreadyExists desc = failed to reserve container name',
    'CreateContainerError',
  ],
  [
    'CreateContainer',
    'Error: failed to reserve container name "app_web": name "app_web" is reserved for "09a0"',
    'CreateContainerError',
  ],
  ['CreateContainer', 'Error: the container name "k8s_app" is already in use by 5f', 'CreateContainerError'],
  ['StartContainer', 'Error: context deadline exceeded', 'RunContainerError'],
  ['RunPodSandbox', 'code = NotFound desc = no such sandbox', 'ContainerCreating'],
  ['CreateContainer', 'Error: sandbox "09a0a58fd860" not found', 'CreateContainerError'],
  ['CreateContainer', 'Error: failed to find sandbox id "09a0a58fd860": not found', 'CreateContainerError'],
  [
    'CreateContainer',
    'Error: specified sandbox not found: 09a0a58fd860: PodSandbox with ID starting with 09a0a58fd860 not found: ID does not exist',
    'CreateContainerError',
  ],
  ['StartContainer', 'Error: No such container: 09a0a58fd860', 'RunContainerError'],
  [
    'PullImage',
    'Failed to pull image "a": rpc error: code = Unavailable desc = error reading from server: EOF',
    'ErrImagePull',
  ],
  [
    'CreateContainer',
    'Error: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"',
    'CreateContainerError',
  ],
  ['CreateContainer', 'Error: ImageInspectError', 'ImageInspectError'],
  ['StartContainer', 'Error: ImageInspectError', 'ImageInspectError'],
  ['CreateContainer', 'Error: InvalidImageName', 'InvalidImageName'],
  ['CreateContainer', 'Error: ErrImageNeverPull', 'ErrImageNeverPull'],
])(
  'what a runtime answers because of what it has, and what took too long, is no such fault: %s',
  (method, message, status) => {
    const reason = method === 'RunPodSandbox' ? 'FailedCreatePodSandBox' : 'Failed';
    const found = evidenceIn(`web 0/1 ${status} 0 12s\n12.0s   Warning   ${reason}   web   ${message}`);
    expect(found.filter(({ rules: [rule] }) => rule?.match?.method === method)).toEqual([]);
  },
);

test.each([
  [
    'RunPodSandbox',
    'FailedCreatePodSandBox',
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "web_1_0": name "web_1_0" is reserved for "5a"',
  ],
  [
    'RunPodSandbox',
    'FailedCreatePodSandBox',
    'Failed to create pod sandbox: rpc error: code = Unknown desc = Kubelet may be retrying requests that are timing out in CRI-O due to system load. Currently at stage sandbox creating: context deadline exceeded: error reserving pod name: name is reserved',
  ],
  [
    'CreateContainer',
    'Failed',
    'Error: failed to reserve container name "app_web": name "app_web" is reserved for "09a0"',
  ],
])(
  'a name that is reserved is held by a %s that began before the kubelet gave up',
  (method, reason, message) => {
    const isPod = method === 'RunPodSandbox';
    const slow = isPod ? 'code = DeadlineExceeded desc = ' : 'Error: ';
    const line = (at: number, text: string) => `${at}.0s   Warning   ${reason}   web   ${text}\n`;
    const held = line(250, `${slow}context deadline exceeded`) + line(262, message) + line(310, message);
    const rulesOf = (text: string) => evidenceIn(text).flatMap(({ rules }) => rules);
    // The kubelet waits for twice as long for a pod.
    const during = isPod ? {} : { during: { from: '1m54s' } };
    const rule = (duration: string) => [
      {
        match: { method, pod: { name: 'web' } },
        when: { ...during, times: 1 },
        then: { slowCreate: { duration } },
      },
    ];
    expect(rulesOf(held)).toEqual(rule(isPod ? '6m10s' : '4m16s'));
    const started = `${held}322.0s   Normal   Pulled   web   x\n`;
    expect(rulesOf(started)).toEqual(rule(isPod ? '5m16s' : '3m22s'));
  },
);

test('a pod that a kubelet before 1.8 could not kill', () => {
  const error =
    'failed to "KillContainer" for "web" with KillContainerError: "rpc error: code = 4 desc = late"';
  const [cause] = evidenceIn(`Events:
  FirstSeen LastSeen Count From SubObjectPath Type Reason Message
  1m  1m  1  kubelet, server37  spec.containers{web}  Normal  Killing  Killing container with id docker://fd:Need to kill Pod
  1m  1m  1  kubelet, server37    Warning  FailedSync  Error syncing pod, skipping: error killing pod: ${error}`);
  expect(cause?.rules[0]).toMatchObject({
    match: { method: 'StopContainer', pod: { name: 'web' } },
    then: { error: { code: 'DEADLINE_EXCEEDED', message: 'late' } },
  });
});

test('a name that is reserved soon after another failure belongs to a container whose reply was lost', () => {
  const line = (at: number, text: string) => `${at}.0s   Warning   Failed   web   Error: ${text}\n`;
  const reserved = 'failed to reserve container name "app_web": name "app_web" is reserved for "09a0"';
  const told = line(3, 'context deadline exceeded') + line(16, reserved) + line(30, reserved);
  const [cause, ...more] = evidenceIn(`${told}44.0s   Normal   Pulled   web   x\n`);
  expect(more).toEqual([]);
  expect(cause?.rules).toEqual([
    {
      match: { method: 'CreateContainer', pod: { name: 'web' } },
      when: { during: { from: '2s' }, times: 1 },
      then: { error: { code: 'UNKNOWN', message: 'context deadline exceeded', effect: 'after' } },
    },
    {
      match: { method: 'ListContainers' },
      when: { during: { from: '2s', for: '35s' } },
      then: { reply: { empty: true } },
    },
  ]);
});

test.each([
  ['5m0.6s (5m0.6s including waiting). Image size: 3 bytes.', '5m1s'],
  ['1m12.345678s', '1m12s'],
])('an image that was pulled in %s was pulled slowly', (took, delay) => {
  const events = `1.0s   Normal   Pulling   web   Pulling image "a/b:1"
302.0s   Normal   Pulled   web   Successfully pulled image "a/b:1" in ${took}`;
  const [cause, ...more] = evidenceIn(events);
  expect(more).toEqual([]);
  expect(cause?.kind).toBe(`delay ${delay} PullImage`);
  expect(cause?.rules).toEqual([
    {
      match: { method: 'PullImage', pod: { name: 'web' }, request: { image: { image: 'a/b:1' } } },
      when: { times: 1 },
      then: { delay },
    },
  ]);
  const quick = 'Successfully pulled image "a/b:1" in 3.1s (3.1s including waiting)';
  expect(evidenceIn(`4.0s   Normal   Pulled   web   ${quick}`)).toEqual([]);
});

test('of failures that all differ some are tried: thousands of them would take minutes', () => {
  const lines = Array.from(
    { length: 2000 },
    (_, index) => `${index % 60}.0s   Warning   Failed   web   Error: thing ${index} failed`,
  );
  expect(evidenceIn(lines.join('\n')).length).toBeLessThan(200);
});

test.each([
  ['1/1', ['StopContainer', 'StopPodSandbox']],
  ['0/1', ['StopPodSandbox']],
])('a pod that is terminating for days at %s waits for %s', (ready, methods) => {
  const told = evidenceIn(`Name:             web
Namespace:        default
Status:                    Terminating (lasts 14d)
Termination Grace Period:  30s
Containers:
  app:
    State:          ${ready === '1/1' ? 'Running' : 'Terminated\n      Reason:       Completed\n      Exit Code:    0'}
    Ready:          ${ready === '1/1' ? 'True' : 'False'}
    Restart Count:  0
Events:                      <none>
`);
  expect(new Set(told.map(({ rules: [rule] }) => rule?.match?.method))).toEqual(new Set(methods));
});
