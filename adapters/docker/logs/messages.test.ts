import { expect, it } from 'vitest';
import fc from '../../../test/support/properties.js';
import { formatMessage, type LogMessage, readMessages } from './messages.js';

const T1 = '2026-01-02T03:04:05.000000001Z';
const T2 = '2026-01-02T03:04:05.000000002Z';

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

/** The bytes in pieces of any size, as they come from a socket. */
async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(bytes: Buffer, tty: boolean, sizes: readonly number[] = [1 << 20]): Promise<string> {
  const out: Buffer[] = [];
  for await (const message of readMessages(pieces(bytes, sizes), tty)) out.push(formatMessage(message));
  return Buffer.concat(out).toString();
}

it('turns frames into lines of a CRI log, however they are cut', async () => {
  const bytes = Buffer.concat([
    frame(1, `${T1} hello\n`),
    frame(2, `${T2} oops\r\n`),
    frame(1, `${T2} half`),
    frame(1, `${T2} \n`),
  ]);
  const expected = `${T1} stdout F hello\n${T2} stderr F oops\n${T2} stdout P half\n${T2} stdout F \n`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (sizes) => {
      expect(await read(bytes, false, sizes)).toBe(expected);
    }),
  );
});

it('drops a frame that was cut off', async () => {
  const bytes = Buffer.concat([frame(1, `${T1} whole\n`), frame(1, `${T2} cut off\n`).subarray(0, 30)]);
  expect(await read(bytes, false)).toBe(`${T1} stdout F whole\n`);
});

it("reads a terminal's log, in which long lines are cut without a newline", async () => {
  const cut = 'a'.repeat(16 * 1024);
  const bytes = Buffer.from(`${T1} short\r\n${T1} ${cut}${T1} rest\n${T2} ${cut}\n${T2} open`);
  expect(await read(bytes, true, [1000])).toBe(
    `${T1} stdout F short\n${T1} stdout P ${cut}\n${T1} stdout F rest\n${T2} stdout F ${cut}\n${T2} stdout P open\n`,
  );
});

it('keeps bytes that are no text', async () => {
  const bytes = Buffer.concat([frame(1, ''), Buffer.alloc(0)]);
  const content = Buffer.from([0xff, 0x00, 0xfe]);
  const header = frame(1, `${T1} abc`).subarray(0, 8);
  const messages: LogMessage[] = [];
  const data = Buffer.concat([bytes, header, Buffer.from(`${T1} `), content]);
  for await (const message of readMessages(pieces(data, [7]), false)) messages.push(message);
  expect(messages.map((message) => message.content)).toEqual([content]);
});
