import fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createLogger, type logFormats } from './logger.js';

const EVIL = '\u001b]0;title\u0007\u009b31m';

/** What a log has, as it is written to a stderr that is or is not a terminal. */
async function logged(isTTY: boolean, format?: (typeof logFormats)[number]): Promise<string> {
  let text = '';
  vi.spyOn(fs, 'writeSync').mockImplementation((_, written) => {
    text += written;
    return Buffer.byteLength(String(written));
  });
  const before = process.stderr.isTTY;
  process.stderr.isTTY = isTTY;
  try {
    const log = await createLogger({ level: 'info', format });
    log.info({ pod: EVIL }, `hello ${EVIL}`);
  } finally {
    process.stderr.isTTY = before;
  }
  return text;
}

test('a terminal gets lines for people, and anything else JSON', async () => {
  expect(await logged(true)).toMatch(/INFO.*: .*hello/);
  expect(JSON.parse(await logged(false))).toMatchObject({ msg: expect.stringMatching(/^hello/) });
});

test('a format that is chosen counts', async () => {
  expect(JSON.parse(await logged(true, 'json'))).toMatchObject({ msg: expect.stringMatching(/^hello/) });
  expect(await logged(false, 'pretty')).toMatch(/INFO.*: .*hello/);
});

test.each(['json', 'pretty'] as const)(
  '%s: no value reaches the terminal as a command to it',
  async (format) => {
    const text = await logged(false, format);
    expect(text).toContain('title');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(text).not.toMatch(/\u001b\]|[\u0007\u009b]/);
  },
);
