import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { turn } from '../../../src/base/clock/turn.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

it('does not warn of listeners when a reader of events stops and continues often', async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const reader = connect(Number(new URL(victim.control ?? '').port), '127.0.0.1');
  await once(reader, 'connect');
  reader.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let received = 0;
  reader.on('data', (chunk) => {
    received += chunk.length;
    reader.pause();
    void turn().then(() => reader.resume());
  });
  const annotations = { long: 'x'.repeat(100_000) };
  for (let n = 0; n < 40; n++) {
    const metadata = { name: `p${n}`, uid: `u${n}`, namespace: 'default', attempt: 0 };
    const { podSandboxId } = await victim.cri.runPodSandbox({ config: { metadata, annotations } });
    await victim.cri.removePodSandbox({ podSandboxId });
  }
  expect(received).toBeGreaterThan(4_000_000);
  expect(victim.warnings()).toEqual([]);
  reader.destroy();
  expect(await victim.stop()).toBe(0);
});
