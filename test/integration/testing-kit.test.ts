import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type MockriOptions, startMockri } from '../../src/testing/index.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();
afterEach(() => {
  vi.unstubAllEnvs();
});

const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

describe('a failed start cleans up', () => {
  test.each<[string, MockriOptions, RegExp]>([
    [
      'a rule for an unknown RPC',
      { faults: [{ match: { method: 'StartContianer' }, then: { error: {} } }] },
      /did you mean "StartContainer"\?/,
    ],
    ['a misspelled behavior', { behaviors: [{ match: {}, behavior: 'exti=1' }] }, /did you mean "exit"\?/],
    ['an invalid address', { listen: 'foo' }, /"foo" is no endpoint/],
    ['an invalid clock', { clock: 'virtaul' as 'virtual' }, /clock: expected real or virtual;.*"virtual"/],
    ['an unknown option', { contrl: true } as MockriOptions, /contrl: unknown key; did you mean "control"/],
    ['an invalid seed', { seed: 1.5 }, /seed: expected a whole number; given 1.5/],
  ])('%s', async (_, options, message) => {
    const directory = temporary();
    vi.stubEnv('TMPDIR', directory);
    const before = listening();
    await expect(startMockri(options)).rejects.toThrow(message);
    expect(readdirSync(directory)).toEqual([]);
    expect(listening()).toBe(before);
  });
});

test('an error about a misspelled RPC or code names the nearest one', async () => {
  await using mockri = await startMockri();
  expect(() => mockri.calls({ method: 'StartContianer' as 'StartContainer' })).toThrow(
    'calls: method "StartContianer": unknown RPC; did you mean "StartContainer"?',
  );
  expect(() => mockri.fault('StartContianer').once().drop()).toThrow(/did you mean "StartContainer"\?/);
  expect(() => mockri.fault('StartContainer').error('UNAVAILBLE' as 'UNAVAILABLE')).toThrow(
    /then\.error\.code: .*did you mean "UNAVAILABLE"\?/,
  );
});

test('it closes, and can be closed again', async () => {
  const directory = temporary();
  vi.stubEnv('TMPDIR', directory);
  const mockri = await startMockri({ control: true });
  expect(readdirSync(directory)).toHaveLength(1);
  await mockri.close();
  await mockri[Symbol.asyncDispose]();
  expect(readdirSync(directory)).toEqual([]);
  await expect(fetch(`${mockri.control}/healthz`)).rejects.toThrow();
});
