import { expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';

it('puts a file of any size behind a line', async () => {
  const { run } = createRig();
  await run(['sh', '-c', 'yes | head -c 3000000 > /tmp/large']);
  expect((await run(['sh', '-c', "echo first | sed 'r /tmp/large' | wc -c"])).stdout).toBe(
    `${3_000_000 + 6}\n`,
  );
});
