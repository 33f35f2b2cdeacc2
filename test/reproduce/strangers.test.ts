import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { sampleOf } from '../support/thorough.js';

const directory = useTemporaryDirectory();

/** What kubectl printed, for a manifest, and the kind of the first cause: empty for no fault. */
interface Report {
  readonly what: string;
  readonly manifest: string;
  readonly saw: string;
  readonly kind: string;
  /** Options that make the search short. */
  readonly args?: readonly string[];
}

const pod = (namespace: string, name: string, containers: string) => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: ${namespace} }
spec: { containers: [${containers}] }
`;

const ONE_NODE = ['--kubelet-version', '1.34', '--runtime-profile', 'containerd-2.3', '--budget', '6'];

const reports: readonly Report[] = [
  {
    what: 'an image that runs as root, though the pod does not allow it',
    manifest: pod(
      'web',
      'edge',
      '{ name: app, image: "registry.example/edge:2", securityContext: { runAsNonRoot: true } }',
    ),
    args: ONE_NODE,
    kind: '',
    saw: `Events:
  Type     Reason     Age                 From               Message
  ----     ------     ----                ----               -------
  Normal   Scheduled  114s                default-scheduler  Successfully assigned web/edge to worker-4
  Normal   Pulled     8s (x10 over 114s)  kubelet            Container image "registry.example/edge:2" already present on machine
  Warning  Failed     8s (x10 over 114s)  kubelet            Error: container has runAsNonRoot and image will run as root (pod: "edge_web(f03e42ed-3150-4c34-96f6-485c1ebbe7b2)", container: app)
`,
  },
  {
    what: 'a container whose name is reserved',
    manifest: pod('shop', 'web-0', '{ name: web, image: "registry.example/web:3" }'),
    args: ONE_NODE,
    kind: 'slow CreateContainer',
    saw: `NAME    READY   STATUS                 RESTARTS   AGE
web-0   0/1     CreateContainerError   0          3m10s

Events:
  Type     Reason     Age                  From               Message
  ----     ------     ----                 ----               -------
  Normal   Scheduled  3m10s                default-scheduler  Successfully assigned shop/web-0 to node-a
  Normal   Pulling    3m9s                 kubelet            Pulling image "registry.example/web:3"
  Normal   Pulled     3m8s                 kubelet            Successfully pulled image "registry.example/web:3" in 900ms (900ms including waiting)
  Warning  Failed     68s                  kubelet            Error: context deadline exceeded
  Normal   Pulled     11s (x5 over 68s)    kubelet            Container image "registry.example/web:3" already present on machine
  Warning  Failed     11s (x5 over 67s)    kubelet            Error: failed to reserve container name "web_web-0_shop_1f1f_0": name "web_web-0_shop_1f1f_0" is reserved for "5a3c1b7e9d2f"
`,
  },
  {
    what: 'a sandbox whose name is reserved',
    manifest: pod('shop', 'web-0', '{ name: web, image: "registry.example/web:3" }'),
    args: ONE_NODE,
    kind: 'slow RunPodSandbox',
    saw: `NAME    READY   STATUS              RESTARTS   AGE
web-0   0/1     ContainerCreating   0          5m41s

Events:
  Type     Reason                  Age                   From               Message
  ----     ------                  ----                  ----               -------
  Normal   Scheduled               5m41s                 default-scheduler  Successfully assigned shop/web-0 to node-a
  Warning  FailedCreatePodSandBox  100s                  kubelet            Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded
  Warning  FailedCreatePodSandBox  9s (x7 over 88s)      kubelet            Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "web-0_shop_1f1f_0": name "web-0_shop_1f1f_0" is reserved for "5a3c1b7e9d2f"
`,
  },
  {
    what: 'a plain crash loop, after 8 restarts',
    manifest: pod('shop', 'api', '{ name: api, image: "registry.example/api:1" }'),
    args: ONE_NODE,
    kind: '',
    saw: `Name:             api
Namespace:        shop
Start Time:       Tue, 05 Mar 2024 10:02:11 +0100
Status:           Running
Containers:
  api:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Tue, 05 Mar 2024 10:18:22 +0100
      Finished:     Tue, 05 Mar 2024 10:18:24 +0100
    Ready:          False
    Restart Count:  8
Events:
  Type     Reason     Age                   From               Message
  ----     ------     ----                  ----               -------
  Normal   Scheduled  17m                   default-scheduler  Successfully assigned shop/api to worker-2
  Normal   Pulled     15m (x5 over 17m)     kubelet            Container image "registry.example/api:1" already present on machine
  Normal   Created    15m (x5 over 17m)     kubelet            Created container api
  Normal   Started    15m (x5 over 17m)     kubelet            Started container api
  Warning  BackOff    108s (x66 over 17m)   kubelet            Back-off restarting failed container
`,
  },
];

test.each(sampleOf(reports, 1))('$what: $kind', async ({ manifest, saw, kind, args = [] }) => {
  const folder = mkdtempSync(join(directory, 'report-'));
  const path = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const given = [path('pod.yaml', manifest), '--saw', path('saw.txt', saw)];
  const { out } = await runCommand('reproduce', ...given, ...args, '--workers', '0', '--json');
  const [first, second] = JSON.parse(out).causes;
  expect([first.kind, first.verdict]).toEqual([kind, 'fits']);
  // What comes next fits clearly less.
  expect(first.fit - (second?.fit ?? 0)).toBeGreaterThan(kind === '' ? 0 : 0.05);
});
