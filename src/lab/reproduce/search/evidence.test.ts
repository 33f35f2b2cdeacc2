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
])(
  'what a runtime answers because of what it has, and what took too long, is no such fault: %s',
  (method, message, status) => {
    const reason = method === 'RunPodSandbox' ? 'FailedCreatePodSandBox' : 'Failed';
    const found = evidenceIn(`web 0/1 ${status} 0 12s\n12.0s   Warning   ${reason}   web   ${message}`);
    expect(found.filter(({ rules: [rule] }) => rule?.match?.method === method)).toEqual([]);
  },
);
