import { expect, test } from 'vitest';
import type { Seen } from '../facts.js';
import { readLines } from './read-lines.js';

const read = (text: string) => readLines(text, 'saw.txt');
const of = (text: string, what: Seen['what']) => read(text).seen.filter((each) => each.what === what);

test('rows of kubectl get pod, with a restart some time ago, a node and a namespace', () => {
  const text = `NAMESPACE     NAME   READY   STATUS             RESTARTS      AGE   IP           NODE
kube-system   cni    0/1     CrashLoopBackOff   3 (40s ago)   5m3s  10.0.0.1   node-1
`;
  expect(of(text, 'row')).toEqual([
    {
      what: 'row',
      pod: 'kube-system/cni',
      ready: '0/1',
      status: 'CrashLoopBackOff',
      restarts: 3,
      restarted: { from: 40, to: 41 },
      table: 1,
      times: [{ by: 'age', span: { from: 303, to: 304 } }],
    },
  ]);
});

test.each([
  ['2024-05-01T10:00:05Z web 1/1 Running 0 5s', Date.UTC(2024, 4, 1, 10, 0, 5)],
  ['[2024-05-01 12:00:05+02:00] web 1/1 Running 0 5s', Date.UTC(2024, 4, 1, 10, 0, 5)],
  ['Wed May  1 10:00:05 UTC 2024\nweb 1/1 Running 0 5s', Date.UTC(2024, 4, 1, 10, 0, 5)],
  ['May 01 10:00:05 web 1/1 Running 0 5s', Date.UTC(2000, 4, 1, 10, 0, 5)],
  ['10:00:05 web 1/1 Running 0 5s', Date.UTC(2000, 0, 1, 10, 0, 5)],
  ['1714557605 web 1/1 Running 0 5s', 1_714_557_605_000],
])('the time of %j', (text, ms) => {
  const [row] = of(text, 'row');
  expect(row).toMatchObject({ pod: 'web', times: [{ by: 'clock', ms }, { by: 'age' }] });
});

test('a description has a row only if it says whether a running container is ready', () => {
  const described = (ready: string) =>
    readLines(
      `Name: web\nContainers:\n  app:\n    State:  Running\n${ready}    Restart Count:  1\nEvents: <none>`,
      'f',
    ).seen.filter(({ what }) => what === 'row');
  expect(described('    Ready:  True\n')).toMatchObject([{ ready: '1/1', status: 'Running', restarts: 1 }]);
  expect(described('')).toEqual([]);
});

test('events of kubectl describe, and how a container ended', () => {
  const text = `Name:             web
Namespace:        default
Start Time:       Wed, 01 May 2024 10:00:00 +0000
Containers:
  app:
    Image:          nginx:1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      Wed, 01 May 2024 10:00:10 +0000
      Finished:     Wed, 01 May 2024 10:00:13 +0000
    Ready:          False
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  2m                 default-scheduler  Successfully assigned default/web to node-1
  Warning  BackOff    5s (x3 over 20s)   kubelet            Back-off restarting failed container
`;
  expect(of(text, 'end')).toMatchObject([{ pod: 'web', container: 'app', exitCode: 137, ran: 3 }]);
  expect(of(text, 'created')).toHaveLength(1);
  expect(of(text, 'event')).toMatchObject([
    { pod: 'web', reason: 'Scheduled' },
    {
      pod: 'web',
      type: 'Warning',
      reason: 'BackOff',
      count: 3,
      message: 'Back-off restarting failed container',
    },
  ]);
  expect(read(text).lines.unread).toBe(0);
});

test('kubectl get events, old and new', () => {
  const now = `LAST SEEN   TYPE      REASON    OBJECT     MESSAGE
5m          Warning   BackOff   pod/web    Back-off restarting failed container
3s          Normal    NodeNotReady   node/n1    Node n1 status is now: NodeNotReady
7s          Normal    SuccessfulCreate   job/x    Created pod: x
`;
  expect(of(now, 'event')).toMatchObject([
    { pod: 'web', reason: 'BackOff' },
    { pod: '', reason: 'NodeNotReady' },
  ]);
  const old =
    '2m        5m        7         web.14a5fa1b2c3d4e5f   Pod   spec.containers{app}   Warning   BackOff   kubelet, node-1   Back-off restarting';
  expect(of(old, 'event')).toMatchObject([{ pod: 'web', reason: 'BackOff', count: 7 }]);
});

test('nodes, logs and crictl', () => {
  const text = `NAME   STATUS     ROLES    AGE   VERSION
n1     NotReady   <none>   5d    v1.31.4
Nov 24 11:40:20 n1 kubelet[77]: E1124 11:40:20.123456      77 kubelet.go:2412] "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m5s ago; threshold is 3m0s"
CONTAINER           IMAGE          CREATED          STATE     NAME   ATTEMPT   POD ID          POD
0123456789abc       nginx:1        2 minutes ago    Running   app    1         fedcba9876543   web
`;
  expect(of(text, 'node')).toMatchObject([{ isReady: false }]);
  expect(of(text, 'version')).toEqual([{ what: 'version', version: '1.31' }]);
  expect(of(text, 'log')).toMatchObject([{ kind: 'PLEG is not healthy' }]);
  expect(of(text, 'container')).toMatchObject([{ pod: 'web', name: 'app', attempt: 1, isRunning: true }]);
});

test.each([
  'Dec 12 21:55:45 node5 docker[641]: I1212 21:55:45.064032     683 kubelet.go:1820] skipping pod synchronization - [PLEG is not healthy: pleg was last seen active 3m4s ago; threshold is 3m0s]',
  'sept. 20 16:49:28 erebos kubelet[8665]: E0920 16:49:28.687652    8665 generic.go:241] PLEG is not healthy: pleg was last seen active 3m4s ago',
])('a line of a log, whatever a journal puts before it: %j', (line) => {
  expect(of(line, 'log')).toMatchObject([{ kind: 'PLEG is not healthy', times: [{ by: 'clock' }] }]);
});

test('what is not known is counted, and some of it is shown', () => {
  const { lines, examples } = read('hello\nweb 1/1 Running 0 5s\n');
  expect(lines).toEqual({ read: 1, unread: 1 });
  expect(examples).toEqual(['hello']);
});

const UNINDENTED = `Name: web
...
Containers:
app:
Image: nginx:1
State: Waiting
Reason: CrashLoopBackOff
Last State: Terminated
Reason: OOMKilled
Exit Code: 137
Ready: False
Restart Count: 5
Events:
Type Reason Age From Message
---- ------ ---- ---- -------
Normal Killing 78s (x2 over 108s) kubelet Container app failed liveness probe, will be restarted
`;

test('a description that has lost its indentation, and its row', () => {
  expect(of(UNINDENTED, 'end')).toMatchObject([
    { pod: 'web', container: 'app', exitCode: 137, reason: 'OOMKilled' },
  ]);
  expect(of(UNINDENTED, 'row')).toMatchObject([
    { pod: 'web', ready: '0/1', status: 'CrashLoopBackOff', restarts: 5 },
  ]);
  expect(of(UNINDENTED, 'event')).toMatchObject([{ pod: 'web', reason: 'Killing', count: 2 }]);
  expect(of(UNINDENTED, 'gap')).toHaveLength(1);
  expect(read(UNINDENTED).lines.unread).toBe(0);
});

test('a part of a description that names neither pod nor container', () => {
  const text = 'Last State: Terminated\nReason: OOMKilled\nExit Code: 137\n';
  expect(of(text, 'end')).toMatchObject([{ pod: '*', container: '', exitCode: 137, reason: 'OOMKilled' }]);
});

test.each([
  ['web   Terminating (lasts 3m)', 'Running', 'Terminating'],
  ['web   Running', 'Running', 'Running'],
  ['web   Running', 'Terminated\n      Reason:       Error', 'Error'],
])('the status of a described pod: %j, %j is %s', (status, state, shown) => {
  const text = `Name:   web\nNamespace:   default\nStatus: ${status.slice(3)}\nContainers:\n  app:\n    State:   ${state}\n    Ready:   True\nEvents:   <none>\n`;
  expect(of(text, 'row')).toMatchObject([{ status: shown, ready: '1/1', restarts: 0 }]);
});

test.each([
  [
    'kubectl get node -o wide',
    'node-1   Ready   <none>   5d   v1.31.2   10.0.0.1   <none>   Debian GNU/Linux 12   6.1.0   containerd://1.7.27',
  ],
  [
    'kubectl describe node',
    'Name:   node-1\nSystem Info:\n  Container Runtime Version:  containerd://1.7.27\n  Kubelet Version: v1.31.2',
  ],
])('the runtime of a node in %s', (_, text) => {
  expect(of(text, 'runtime')).toEqual([{ what: 'runtime', runtime: 'containerd-2.3' }]);
});

test('an event combined from similar ones has its own message', () => {
  const text = `Events:
  Warning  Failed  53s (x36 over 149m)  kubelet  (combined from similar events): Error: no space`;
  expect(readLines(text, 'saw.txt').seen).toMatchObject([{ count: 36, message: 'Error: no space' }]);
});

test('the first time and the count of kubectl get events -o wide are read', () => {
  const header =
    'LAST SEEN   TYPE      REASON   OBJECT       SUBOBJECT               SOURCE              MESSAGE   FIRST SEEN   COUNT   NAME';
  const line =
    '2m39s       Warning   Failed   pod/report   spec.containers{main}   kubelet, worker-2   Error: no such  thing   4m8s         4       report.17b9a1c30b1b2c3d';
  expect(of(`${header}\n${line}`, 'event')).toMatchObject([
    {
      source: 'kubelet',
      message: 'Error: no such  thing',
      count: 4,
      first: [{ by: 'ago', span: { from: 248, to: 249 } }],
    },
  ]);
});
