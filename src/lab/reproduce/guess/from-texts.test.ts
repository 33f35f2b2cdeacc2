import { expect, test } from 'vitest';
import { parseScenario } from '../../scenario/file/load.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { evidenceOf, evidenceTogether } from '../search/evidence.js';
import { basesOf } from '../starting-points.js';

const HEAD = 'Events:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n';
const seenIn = (text: string) => joinSeen([readLines(text, 'saw.txt').seen], new Map([['web', 0]]));

const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
};

async function baseOf(text: string) {
  const scenario = JSON.stringify({ version: 1, pods: [{ manifest }], until: '1m' });
  return basesOf(await parseScenario(scenario, 'web.yaml'), seenIn(text))[0];
}

const STOPPED = '  Normal  Killing  5m  kubelet  Stopping container app\n';
const SCHEDULED = '  Normal  Scheduled  8m  default-scheduler  Successfully assigned default/web to node-1\n';

test.each([
  ['Killing', `${HEAD}${SCHEDULED}${STOPPED}`, 'of its event Killing', 180],
  [
    'FailedKillPod',
    `${HEAD}${SCHEDULED}  Warning  FailedKillPod  3s (x20 over 5m)  kubelet  error killing pod: failed\n`,
    'of its event FailedKillPod',
    180,
  ],
  [
    'the status of a description, to which the grace period is added',
    `Name: web\nNamespace: default\nStatus: Terminating (lasts 4m30s)\nTermination Grace Period: 30s\n${HEAD}${SCHEDULED}`,
    'its status says so',
    180,
  ],
  [
    'rows',
    'NAME READY STATUS RESTARTS AGE\nweb 1/1 Running 0 9s\nweb 1/1 Terminating 0 40s\n',
    'rows show Terminating',
    40,
  ],
])('the deletion follows from %s', async (_, text, why, at) => {
  const base = await baseOf(text);
  const [step] = base?.scenario.timeline ?? [];
  expect(step?.do).toEqual({ removePod: 'web' });
  expect(Math.abs((step?.at ?? 0) / 1000 - at)).toBeLessThanOrEqual(31);
  expect(base?.guesses.join()).toContain(why);
});

test.each([
  ['a container that starts again', `${STOPPED}  Normal  Started  4m  kubelet  Started container app\n`],
  [
    'a probe that fails',
    '  Normal  Killing  5m  kubelet  Container app failed liveness probe, will be restarted\n',
  ],
  ['a hook that fails', '  Normal  Killing  5m  kubelet  FailedPostStartHook\n'],
])('no deletion is %s', async (_, events) => {
  expect((await baseOf(`${HEAD}${SCHEDULED}${events}`))?.scenario.timeline).toEqual([]);
});

test('of a pod that is hours old only what is near its deletion counts, on one axis with its rows', () => {
  const rows = 'NAME READY STATUS RESTARTS AGE\nweb 1/1 Terminating 0 4h12m\n\n';
  const killed = '  Warning  FailedKillPod  4s (x110 over 26m)  kubelet  error killing pod: failed\n';
  const seen = seenIn(`${rows}${HEAD}${STOPPED.replace('5m', '26m')}${killed}`);
  expect(seen.shift).toBeGreaterThan(3 * 3600);
  expect(seen.deleted.map(({ pod }) => pod)).toEqual(['web']);
  expect(seen.deleted[0]?.time?.from).toBeLessThanOrEqual(61);
  expect(seen.end).toBeLessThan(15 * 60);
  // As many as occurred in the compared part.
  const count = seen.events.find(({ reason }) => reason === 'FailedKillPod')?.count ?? 0;
  expect(count).toBeGreaterThan(30);
  expect(count).toBeLessThan(60);
});

test('in a watch a row holds until the next one', () => {
  const rows = 'web 0/1 ContainerCreating 0 0s\nweb 1/1 Running 0 68s\n';
  const watched = seenIn(`NAME READY STATUS RESTARTS AGE\n${rows}`);
  expect(watched.rows[0]?.until).toEqual({ from: 68, to: 69 });
  expect(seenIn(rows).rows[0]?.until).toBeUndefined();
});

test('each error of one event is one failed call, and both are tried together', () => {
  const error = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';
  const both = `error killing pod: [failed to "KillContainer" for "app" with KillContainerError: "${error}", failed to "KillPodSandbox" for "0529" with KillPodSandboxError: "${error}"]`;
  const text = `${HEAD}${SCHEDULED}  Warning  FailedKillPod  10s (x3 over 5m)  kubelet  ${both}\n`;
  const evidence = evidenceOf(seenIn(text));
  const told = evidence.flatMap(({ rules }) =>
    rules.map(({ match, then }) => [match?.method, then.error?.message]),
  );
  const expected = ['StopContainer', 'StopPodSandbox'].map((method) => [method, 'context deadline exceeded']);
  expect([...new Set(told.map((each) => each.join()))]).toEqual(expected.map((each) => each.join()));
  const methods = evidenceTogether(evidence).map((all) => all.map(({ rules }) => rules[0]?.match?.method));
  expect(methods[0]?.sort()).toEqual(['StopContainer', 'StopPodSandbox']);
});

test.each([
  ['that nobody pulled', '', ['registry.example/app:1']],
  ['that was pulled', '  Normal  Pulling  8m  kubelet  Pulling image "registry.example/app:1"\n', []],
])('an image %s before it is present: %j', async (_, pulling, images) => {
  const present =
    '  Normal  Pulled  8m  kubelet  Container image "registry.example/app:1" already present on machine\n';
  expect((await baseOf(`${HEAD}${SCHEDULED}${pulling}${present}`))?.scenario.presentImages).toEqual(images);
});

test('an image that runs as root, by an event, has no other user', async () => {
  const pod = {
    ...manifest,
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.example/app:1',
          securityContext: { runAsNonRoot: true, runAsUser: 65_532 },
        },
      ],
    },
  };
  const text = `${HEAD}${SCHEDULED}  Warning  Failed  8m  kubelet  Error: container has runAsNonRoot and image will run as root (pod: "web_default(1)", container: app)\n`;
  const scenario = JSON.stringify({ version: 1, pods: [{ manifest: pod }], until: '1m' });
  const [base] = basesOf(await parseScenario(scenario, 'web.yaml'), seenIn(text));
  expect(JSON.stringify(base?.scenario.pods[0]?.manifest)).not.toContain('runAsUser');
});

test('a hook that exited with a code does so after as long', async () => {
  const events = `  Normal  Started  7m55s  kubelet  Started container app
  Warning  FailedPostStartHook  7m50s  kubelet  Exec lifecycle hook ([sh -c x]) for Container "app" in Pod "web_default(1)" failed - error: command 'sh -c x' exited with 3: , message: "no"\n`;
  const base = await baseOf(`${HEAD}${SCHEDULED}${events}`);
  expect(base?.scenario.pods[0]?.behaviors.app).toBe('run,exec-exit=3,exec-delay=5s');
});

test('events of other components are kept and told by their column From', () => {
  const text = `${HEAD}${SCHEDULED}  Normal  AddedInterface  8m  multus  spec.containers{app}: Add eth0\n`;
  const event = seenIn(text).events.at(-1);
  expect([event?.source, event?.message]).toEqual(['multus', 'Add eth0']);
});
