import { expect, test } from 'vitest';
import type { Simulation } from '../../scenario/run/run.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { fitOf } from './fit.js';

const none = {
  ...{ rows: [], nodes: [], events: [], log: [], pods: [], containerEvents: [] },
} as unknown as Simulation;
const seenIn = (...texts: string[]) =>
  joinSeen(
    texts.map((text) => readLines(text, 'saw.txt').seen),
    new Map([['web', 0]]),
  );
const line = (t: number, text: string) => ({ t, text });
const event = (t: number, reason: string, type = 'Normal') => ({
  ...{ t, pod: 'web', field: '', type, reason, message: reason },
});
const row = (t: number, status: string, restarts: number) => ({
  ...{ t, pod: 'web', ready: '0/1', status, restarts },
});

const UNHEALTHY = 'skipping pod synchronization - [PLEG is not healthy: pleg was last seen active 3m4s ago]';

test('a line of a log may be from any time of a run, with nothing but what was logged then', () => {
  const seen = seenIn(`I1212 21:55:45.064032     683 kubelet.go:1820] ${UNHEALTHY}`);
  const other = 'Container garbage collection failed';
  expect(fitOf(seen, { ...none, log: [line(20, other), line(183, UNHEALTHY)] }, 300).score).toBe(1);
  expect(fitOf(seen, { ...none, log: [line(20, other)] }, 300).score).toBe(0);
});

test('what was seen without a beginning keeps its times from each other', () => {
  const seen = seenIn('12:00:00 web 0/1 Error 0\n12:00:40 web 0/1 Completed 0');
  const run = (from: number, to: number) => ({
    ...none,
    rows: [row(from, 'Error', 0), row(to, 'Completed', 0)],
  });
  expect(fitOf(seen, run(100, 140), 300).score).toBe(1);
  expect(fitOf(seen, run(100, 190), 300).score).toBeLessThan(0.95);
});

test('a text with dots in place of lines says nothing of what is missing in it', () => {
  const events = [event(1, 'Pulled'), event(2, 'Started'), event(40, 'BackOff', 'Warning')];
  const header = 'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n';
  const lines = '60s   Normal   Scheduled   pod/web   assigned\n59s   Normal   Pulled   pod/web   Pulled\n';
  expect(fitOf(seenIn(header + lines), { ...none, events }, 60).score).toBeLessThan(0.7);
  expect(fitOf(seenIn(`${header}${lines}...\n`), { ...none, events }, 60).score).toBe(1);
});

test('of a pod of days, the restarts of before are not those of the run', () => {
  const seen = seenIn('web 0/1 CrashLoopBackOff 25 12d');
  expect(fitOf(seen, { ...none, rows: [row(41, 'CrashLoopBackOff', 3)] }, 70).score).toBe(1);
});

test('rows of other pods are no evidence', () => {
  const seen = seenIn('web 0/1 CrashLoopBackOff 3 50s\nother 1/1 Running 0 50s');
  expect(fitOf(seen, { ...none, rows: [row(41, 'CrashLoopBackOff', 3)] }, 60).score).toBe(1);
});

test('one look at a time that is known to an hour has seen one state, not all of that hour', () => {
  const seen = seenIn('web 0/1 CrashLoopBackOff 25 2d');
  const rows = [row(41, 'CrashLoopBackOff', 3), row(90, 'Running', 4), row(95, 'Error', 4)];
  expect(fitOf(seen, { ...none, rows }, 200).score).toBe(1);
});
