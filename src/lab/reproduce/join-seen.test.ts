import { expect, test } from 'vitest';
import { isThorough } from '../../../test/support/thorough.js';
import { joinSeen } from './join-seen.js';
import { readLines } from './read/read-lines.js';

const slow = test.runIf(isThorough);

const join = (...texts: string[]) =>
  joinSeen(
    texts.map((text) => readLines(text, 'saw.txt').seen),
    new Map([['web', 0]]),
  );

test('what was before the pod, such as when its node became ready, is left out: a run begins with the kubelet', () => {
  const clock = (ms: number) => [{ by: 'clock' as const, ms, within: 1000 }];
  const created = Date.UTC(2026, 4, 1, 10);
  const seen = joinSeen(
    [
      [{ what: 'created', pod: 'web', times: clock(created) }],
      [
        { what: 'node', isReady: true, times: clock(created - 3_600_000) },
        { what: 'node', isReady: false, times: clock(created + 60_000) },
      ],
    ],
    new Map([['web', 0]]),
  );
  expect(seen.nodes.map(({ isReady }) => isReady)).toEqual([false]);
});

test('a clock and an age of one file place the clock of another', () => {
  const rows = '2024-05-01T10:00:30Z web 1/1 Running 0 30s';
  const log = 'E0501 10:01:00.000000 1 kubelet.go:1] PLEG is not healthy: pleg was last seen active 3m5s ago';
  const { rows: placed, log: lines } = join(rows, log);
  expect(placed[0]?.time?.from).toBeCloseTo(30, -1);
  expect(lines[0]?.time?.from).toBeCloseTo(60, -1);
});

test('events are as old as the oldest of them, the creation of the pod', () => {
  const { events } = join(`LAST SEEN   TYPE     REASON      OBJECT    MESSAGE
2m          Normal   Scheduled   pod/web   assigned
30s         Normal   Started     pod/web   Container started
`);
  expect(events[1]?.time?.from).toBeCloseTo(90, -1);
});

test('a pod of days begins with what was seen', () => {
  const { rows, shift } = join('web 1/1 Running 4 12d\nweb 0/1 Error 4 12d');
  expect(rows[0]?.time?.from).toBe(60);
  expect(shift).toBeGreaterThan(86_400);
});

test('after hours without an event, the comparison begins with the trouble', () => {
  const { events, shift } = join(`Events:
  Normal   Scheduled  16h                 default-scheduler  Successfully assigned default/web to node
  Normal   Started    16h                 kubelet            Started container web
  Warning  Failed     10m (x2 over 14m)   kubelet            Error: context deadline exceeded
  Normal   Pulled     10m (x7 over 16m)   kubelet            Container image "a" already present on machine
`);
  expect(shift).toBeGreaterThan(15 * 3600);
  expect(events.map(({ reason, count, first }) => [reason, count, first?.from])).toEqual([
    ['Failed', 2, 180],
    ['Pulled', 7, 60],
  ]);
});

slow('several files may show more together than a call may have arguments', () => {
  const ages = '2024-05-01T10:00:30Z web 1/1 Running 0 30s\n'.repeat(50_000);
  const { rows, end } = join(ages, ages, ages, ages);
  expect(rows).toHaveLength(200_000);
  expect(end).toBeGreaterThan(29);
});

test('events of a description without its head are those of the only pod', () => {
  const text = '  Warning  BackOff  5s (x3 over 20s)  kubelet  Back-off restarting failed container';
  expect(join(text).events.map(({ pod }) => pod)).toEqual(['web']);
  const two = new Map([
    ['web', 0],
    ['db', 0],
  ]);
  expect(joinSeen([readLines(text, 'saw.txt').seen], two).events.map(({ pod }) => pod)).toEqual(['']);
});

test('a pod that is days old was deleted when its events say so, within what these leave open', () => {
  const rows = 'NAME READY STATUS RESTARTS AGE\nweb 1/1 Terminating 0 14d\n';
  const events =
    'LAST SEEN TYPE REASON OBJECT MESSAGE\n31m   Normal   Killing   pod/web   Stopping container app\n9s   Warning   FailedKillPod   pod/web   error killing pod: failed\n';
  const seen = joinSeen([readLines(`${rows}${events}`, 'saw.txt').seen], new Map([['web', 0]]));
  const time = seen.deleted[0]?.time;
  expect((time?.to ?? 9999) - (time?.from ?? 0)).toBeLessThanOrEqual(120);
});

test('events of a pod that has been terminating for days are counted in the simulated minutes only', () => {
  const { events, end, deleted } = join(`Name:             web
Namespace:        default
Status:                    Terminating (lasts 14d)
Termination Grace Period:  30s
Events:
  Type     Reason         Age                     From     Message
  ----     ------         ----                    ----     -------
  Warning  FailedKillPod  2m41s (x9241 over 14d)  kubelet  error killing pod: failed to "KillContainer" for "app" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
`);
  expect(deleted).toHaveLength(1);
  expect(end).toBeLessThanOrEqual(11 * 60 + 60);
  expect(events[0]?.count).toBeGreaterThanOrEqual(4);
  expect(events[0]?.count).toBeLessThanOrEqual(6);
  expect(events[0]?.first?.to).toBeLessThanOrEqual(11 * 60 + 60);
});

test('a row of days that shows Terminating has its deletion at the time of the row, in the run', () => {
  const { deleted, rows, end } = join(
    'NAME   READY   STATUS        RESTARTS   AGE\nweb    1/1     Terminating   0          41d\n',
  );
  expect(deleted[0]?.time).toEqual({ from: 60, to: 60 });
  expect(rows[0]?.time?.from).toBe(60);
  expect(end).toBeLessThanOrEqual(700);
});
