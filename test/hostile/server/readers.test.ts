import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { countOf, ofAll } from '../../support/thorough.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
const readers: Socket[] = [];
afterEach(() => {
  killVictims();
  for (const reader of readers.splice(0)) reader.destroy();
});

const MIB = 1024 * 1024;
/** Events that are made for them: each of about 10 KB. A reader may leave 4 MiB unread. */
const ALL_PODS = 1500;
const PODS = countOf(ALL_PODS, 750);

/** Asks for all events, and reads no byte of the answer. */
async function read(victim: Victim): Promise<Socket> {
  const reader = connect(Number(new URL(victim.control ?? '').port), '127.0.0.1');
  readers.push(reader);
  reader.on('error', () => {}).pause();
  await once(reader, 'connect');
  reader.write('GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return reader;
}

async function makeEvents(victim: Victim, pods = PODS, bytes = 10_000): Promise<void> {
  const annotations = { long: 'x'.repeat(bytes) };
  for (let n = 0; n < pods; n++) {
    const metadata = { name: `p${n}`, uid: `u${n}`, namespace: 'default', attempt: 0 };
    const { podSandboxId } = await victim.cri.runPodSandbox({ config: { metadata, annotations } });
    await victim.cri.removePodSandbox({ podSandboxId });
  }
}

it(`bounds the queues of event readers that do not read (${ofAll(PODS, ALL_PODS, 'pods')})`, async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const before = victim.resident();
  for (let n = 0; n < 300; n++) await read(victim);
  await makeEvents(victim);
  expect(Math.round((victim.resident() - before) / MIB)).toBeLessThan(400);
  await victim.version();
  for (const reader of readers) reader.destroy();
  expect(await victim.stop()).toBe(0);
});

it('notifies a reader before it disconnects it, and drops one that does not read', async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const before = victim.descriptors();
  const deaf = await read(victim);
  const late = await read(victim);
  // In few calls: the reader that is cut off has 10 s to take its last bytes.
  await makeEvents(victim, 40, 200_000);
  let text = '';
  late.on('data', (chunk) => {
    text += chunk;
  });
  late.resume();
  await once(late, 'close');
  expect(text).toMatch(
    /event: end\ndata: {"detail":"more than 4194304 bytes wait for this reader[^\n]*"}\n\n/,
  );
  await eventually(() => expect(victim.descriptors()).toBeLessThanOrEqual(before));
  await victim.version();
  expect(deaf.destroyed).toBe(false);
  deaf.destroy();
  expect(await victim.stop()).toBe(0);
});
