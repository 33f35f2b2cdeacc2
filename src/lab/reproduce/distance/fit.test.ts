import { expect, test } from 'vitest';
import { humanDuration } from '../../../kubelet/status/human-duration.js';
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

test('a text with dots for lines proves nothing about missing ones', () => {
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

test('the description of a pod of days: its last run begins with the simulated one', () => {
  const seen = seenIn(`Name: web
Namespace: default
Start Time: Sat, 08 Aug 2020 14:20:27 +0530
Containers:
  app:
    State: Running
      Started: Sun, 09 Aug 2020 12:17:29 +0530
    Last State: Terminated
      Reason: Error
      Exit Code: 1
      Started: Sun, 09 Aug 2020 12:12:19 +0530
      Finished: Sun, 09 Aug 2020 12:16:06 +0530
    Ready: True
    Restart Count: 19
`);
  const rows = [row(1, 'Running', 0), row(228, 'Error', 0), row(240, 'Running', 1)].map((each) => ({
    ...each,
    ready: each.status === 'Running' ? '1/1' : '0/1',
  }));
  const ended = { t: 228, pod: 'web', container: 'app', attempt: 0, what: 'ended', exitCode: 1 } as const;
  expect(fitOf(seen, { ...none, rows, containerEvents: [ended] }, 300).score).toBe(1);
});

test('CRI-O ends a call at the deadline with one of two texts, by chance', () => {
  const late = 'Error: context deadline exceeded';
  const held = `Error: Kubelet may be retrying requests that are timing out in CRI-O due to system load. Currently at stage container creating: context deadline exceeded: error reserving ctr name k8s_app for id 8424: name is reserved`;
  const seen = seenIn(`Events:
  Normal   Scheduled  7m                default-scheduler  Successfully assigned default/web to node
  Warning  Failed     1m (x2 over 5m)   kubelet  ${late}
  Warning  Failed     3m                kubelet  ${held}`);
  const events = [120, 240, 360].map((t) => ({ ...event(t, 'Failed', 'Warning'), message: late }));
  expect(fitOf(seen, { ...none, events }, 420).score).toBe(1);
});

test('the first event may have come a moment before the time to which it was rounded', () => {
  const message = 'Pulling image "nginx:1"';
  const seen = seenIn(
    `0.2s   Normal   Pulling   web   ${message}\n9.0s   Normal   Killing   web   Stopping container app`,
  );
  const killing = { ...event(9, 'Killing'), message: 'Stopping container app' };
  expect(
    fitOf(seen, { ...none, events: [{ ...event(0.174, 'Pulling'), message }, killing] }, 20),
  ).toMatchObject({
    score: 1,
    unexplained: [],
  });
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

/** A crash loop whose restarts come so many seconds after their back-off. */
const loop = (restarts: number, late: number) => {
  let t = 1;
  return Array.from({ length: restarts + 1 }, (_, index) => {
    if (index > 1) t += Math.min(300, 10 * 2 ** (index - 2)) + late;
    return [row(t, 'Error', index), row(t + 11, 'CrashLoopBackOff', index)];
  }).flat();
};

test.each([3, 8])(
  'one row of a crash loop of %d restarts, each of which comes at another time, is that of the run',
  (restarts) => {
    const seen = (late: number) => {
      const from = loop(restarts, late).at(-1)?.t ?? 0;
      return seenIn(
        `NAME READY STATUS RESTARTS AGE\nweb 0/1 CrashLoopBackOff ${restarts} (9s ago) ${humanDuration(from * 1000)}\n`,
      );
    };
    const run = { ...none, rows: loop(restarts + 1, 8) };
    for (const late of [0, 4, 8, 12])
      expect(fitOf(seen(late), run, 1800).score, `${late}`).toBeGreaterThan(0.98);
    // Chance does not double the back-offs.
    const slow = { ...none, rows: loop(restarts + 1, 8).map((each) => ({ ...each, t: 2 * each.t + 60 })) };
    expect(fitOf(seen(0), slow, 1800).score).toBeLessThan(0.9);
  },
);

test('events without a beginning are placed by the middle of what their ages may mean', () => {
  const header = 'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n';
  const seen = seenIn(
    `${header}2m   Warning   BackOff   pod/web   BackOff\n17m   Normal   Pulled   pod/web   Pulled\n`,
  );
  const events = [event(5, 'Pulled'), event(905, 'BackOff', 'Warning')];
  expect(fitOf(seen, { ...none, events }, 1800).score).toBeGreaterThan(0.99);
});

test('an event in the words of an older kubelet is the same', () => {
  const header =
    'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n60s   Normal   Scheduled   pod/web   assigned\n';
  const seen = seenIn(`${header}50s   Warning   BackOff   pod/web   Back-off restarting failed container\n`);
  const message = 'Back-off restarting failed container app in pod web_default(8f0f5b0a)';
  const events = [{ ...event(10, 'BackOff', 'Warning'), message }];
  expect(fitOf(seen, { ...none, events }, 60).score).toBe(1);
});
