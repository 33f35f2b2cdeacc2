import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { startNode } from 'mockri/testing';

// The example of docs/envtest.md, on an API server that has no controllers.

const kubeconfig = process.env.TEST_KUBECONFIG ?? '';
const kubectl = (...args: string[]) => execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...args]);

await using node = await startNode(kubeconfig, { args: ['--name', 'typescript-{n}'] });
await node.pods({ labels: { run: 'crash-ts' } }).exitAfter('100ms', 3);
kubectl('run', 'crash-ts', '--image', 'registry.example/app:1');
const ended = await node.waitFor({ kind: 'container', what: 'ended', pod: 'crash-ts' });
assert.equal(ended.exitCode, 3);
await node.waitFor({ kind: 'container', what: 'started', pod: 'crash-ts', attempt: 1 });
await assert.rejects(node.pods().behave('exti'), /unknown part "exti"/);
await assert.rejects(
  startNode('/nowhere'),
  /^Error: mockri node ended \(exit code 2\): mockri: --kubeconfig: \/nowhere: .*no such file$/,
);
