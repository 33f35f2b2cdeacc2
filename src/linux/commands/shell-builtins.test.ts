import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../../../test/support/runtime/memory-node.js';

let node: TestNode;
let containerId: string;

beforeAll(async () => {
  node = await createTestNode();
  containerId = await node.container({ command: ['sleep', '100000'] });
});
afterAll(() => node.runtime.close());

it.each([
  [['echo', 'a  b', '$HOME'], 'a  b $HOME\n', 0],
  [['printf', '%s-%d\n', 'x', '7'], 'x-7\n', 0],
  [['test', '-d', '/etc'], '', 0],
  [['[', '1', '-gt', '2', ']'], '', 1],
  [['/bin/pwd'], '/\n', 0],
  [['tty'], 'not a tty\n', 1],
  [['stty', 'size'], '', 1],
])('runs %j without a shell around it', async (cmd, stdout, exitCode) => {
  const reply = await node.call(() => node.cri.execSync({ containerId, cmd }));
  expect([String(reply.stdout), reply.exitCode]).toEqual([stdout, exitCode]);
});

it.each([
  ['sh', 'set -euo pipefail; false | true; echo no', 1],
  ['sh', 'set +euo pipefail; false | true; echo $?', 0],
  ['sh', 'set -EuT', 2],
  ['bash', 'set -Eeuo pipefail; false | true; echo no', 1],
])('%s takes the name of an option after letters: %s', async (shell, script, exitCode) => {
  const reply = await node.call(() => node.cri.execSync({ containerId, cmd: [shell, '-c', script] }));
  expect([String(reply.stdout), reply.exitCode]).toEqual([exitCode === 0 ? '0\n' : '', exitCode]);
});
