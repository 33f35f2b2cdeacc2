import { expect, test } from 'vitest';
import { aPerturbation } from '../../../../test/support/perturbation.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import type { Entry } from '../../../tape/entries.js';
import { Message } from '../../../tape/message.js';
import type { Perturbation } from '../catalog/perturbation.js';
import { createPlacer } from './placed.js';
import { fromNow, positionOf } from './run-position.js';

const pod = { name: 'web', namespace: 'default' };
const container = { name: 'app', attempt: 0 };
const message = Message.of('Version', 'Request', { version: '' });
const call = (t: number, method: string, number = t): Entry => ({
  t: t * 1e6,
  kind: 'call',
  call: number,
  method,
  connection: 0,
  message,
});
const containerEvent = (t: number, what: 'started' | 'ended'): Entry => ({
  t: t * 1e6,
  kind: 'container',
  pod,
  container,
  what,
});
const entries = [
  call(100, 'ListContainers'),
  containerEvent(800, 'started'),
  call(810, 'ListContainers'),
  containerEvent(30_000, 'ended'),
];

const base = aPerturbation();
const rule = (at: number, method?: string): Perturbation => ({
  ...base,
  at,
  rules: [
    { ...(method && { match: { method } }), when: { during: { from: `${at}ms` } }, then: { delay: '1s' } },
  ],
});

test('a call is known by the state in which it comes', () => {
  expect(positionOf(entries, rule(810, 'ListContainers'))).toMatchObject({ state: ';web/app=R', after: 0 });
  expect(positionOf(entries, rule(100, 'ListContainers'))).toMatchObject({ state: '', after: 0 });
});

test('a list is known by what it asks for, without its ids', () => {
  const uid = '41821cf215371eda424d1afc8d9a83db';
  const filter = { labelSelector: { 'io.kubernetes.pod.uid': uid } };
  const message = Message.ofJson('ListContainers', 'Request', { filter });
  const place = positionOf([{ ...call(5, 'ListContainers'), message } as Entry], rule(5, 'ListContainers'));
  const request = { filter: { labelSelector: { 'io.kubernetes.pod.uid': '*' } } };
  expect(place).toEqual({ state: '', after: 0, request });
  expect(
    fromNow({ match: { method: 'ListContainers' }, when: { times: 1 }, then: { delay: '1s' } }, request),
  ).toEqual({
    match: { method: 'ListContainers', request },
    when: { times: 1 },
    then: { delay: '1s' },
  });
});

test('a moment is known by the state and the time since then', () => {
  expect(positionOf(entries, rule(5800))).toEqual({ state: ';web/app=R', after: 5000 });
  expect(positionOf(entries, { ...base, at: 30_001, steps: [{ at: 30_001, kubelet: 'restart' }] })).toEqual({
    state: ';web/app=E',
    after: 0,
  });
});

test('a rule that counts calls is in force from the start', () => {
  const counted: Perturbation = {
    ...base,
    at: 810,
    rules: [{ match: { method: 'StartContainer' }, when: { after: 1, times: 1 }, then: { delay: '1s' } }],
  };
  expect(positionOf(entries, counted)).toBeUndefined();
});

test('a rule for a time begins when it is added', () => {
  expect(fromNow({ when: { during: { from: '5s', for: '40s' }, times: 1 }, then: { delay: '1s' } })).toEqual({
    when: { during: { for: '40s' }, times: 1 },
    then: { delay: '1s' },
  });
  expect(fromNow({ when: { during: { from: '5s' } }, then: { delay: '1s' } })).toEqual({
    then: { delay: '1s' },
  });
});

test('perturbations begin in order, each at its place', async () => {
  const clock = createVirtualClock();
  const done: string[] = [];
  const placer = createPlacer(
    [
      { place: { state: '', after: 0 }, act: () => done.push('start') },
      { place: { state: ';web/app=R', after: 0 }, act: () => done.push('runs') },
      { place: { state: ';web/app=R', after: 5000 }, act: () => done.push('runs for 5s') },
      { place: { state: ';web/app=E', after: 0 }, act: () => done.push('ended') },
    ],
    clock,
  );
  placer.begin();
  expect(done).toEqual(['start']);
  placer.read(containerEvent(1, 'started'));
  expect(done).toEqual(['start', 'runs']);
  await clock.advance(4999);
  expect(done).toHaveLength(2);
  await clock.advance(1);
  expect(done).toEqual(['start', 'runs', 'runs for 5s']);
  placer.read(containerEvent(6000, 'ended'));
  expect(done).toHaveLength(4);
});

test('a state that is left too early is waited for again', async () => {
  const clock = createVirtualClock();
  let done = 0;
  const placer = createPlacer([{ place: { state: ';web/app=R', after: 5000 }, act: () => done++ }], clock);
  placer.read(containerEvent(0, 'started'));
  await clock.advance(3000);
  placer.read(containerEvent(3000, 'ended'));
  await clock.advance(60_000);
  expect(done).toBe(0);
});
