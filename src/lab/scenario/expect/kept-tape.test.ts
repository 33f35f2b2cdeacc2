import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { type JsonObject, Message } from '../../../tape/message.js';
import { createTape } from '../../../tape/tape.js';
import { keepTape } from './kept-tape.js';

/** A tape, and a question that is asked on it and answered after a second. */
function asking() {
  const clock = createVirtualClock();
  const tape = createTape(clock);
  const kept = keepTape(tape);
  let call = 0;
  const ask = async (method: string, answer: JsonObject) => {
    call++;
    tape.write({ kind: 'call', call, connection: 1, method, message: Message.ofJson(method, 'Request', {}) });
    await clock.advance(1000);
    const message = Message.ofJson(method, 'Response', answer);
    tape.write({ kind: 'reply', call, method, code: 'OK', message });
  };
  return { kept, ask };
}

test('a list that shows something else is activity, one that shows the same is none', async () => {
  const { kept, ask } = asking();
  await ask('ListContainers', { containers: [{ id: 'a' }] });
  expect(kept.activeAt).toBe(1e9);
  await ask('ListContainers', { containers: [{ id: 'a' }] });
  expect(kept.activeAt).toBe(1e9);
  await ask('ListContainers', { containers: [] });
  expect(kept.activeAt).toBe(3e9);
});

test('what file systems hold is no activity: each answer has another time', async () => {
  const { kept, ask } = asking();
  for (const timestamp of ['1', '2', '3']) await ask('ImageFsInfo', { imageFilesystems: [{ timestamp }] });
  expect(kept.activeAt).toBe(1e9);
});
