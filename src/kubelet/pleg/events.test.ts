import { expect, test } from 'vitest';
import { transition } from './pod-records.js';

const states = ['running', 'exited', 'unknown', 'non-existent'] as const;

test('every transition produces the kubelet’s events (generic.go generateEvents)', () => {
  const table = Object.fromEntries(
    states.map((next) => [next, Object.fromEntries(states.map((old) => [old, transition(old, next)]))]),
  );
  expect(table).toEqual({
    running: {
      running: [],
      exited: ['ContainerStarted'],
      unknown: ['ContainerStarted'],
      'non-existent': ['ContainerStarted'],
    },
    exited: {
      running: ['ContainerDied'],
      exited: [],
      unknown: ['ContainerDied'],
      'non-existent': ['ContainerDied'],
    },
    unknown: {
      running: ['ContainerChanged'],
      exited: ['ContainerChanged'],
      unknown: [],
      'non-existent': ['ContainerChanged'],
    },
    'non-existent': {
      running: ['ContainerDied', 'ContainerRemoved'],
      exited: ['ContainerRemoved'],
      unknown: ['ContainerDied', 'ContainerRemoved'],
      'non-existent': [],
    },
  });
});
