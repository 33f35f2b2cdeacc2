import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { chooseGo, runGo } from './go.js';

it.each([
  ['go1.26.8', '1.26.5', 'go1.26.8'],
  ['go1.26.8', '1.24.13', 'go1.24.13'],
  ['go1.26.8', '1.24', 'go1.24.0'],
  ['go1.26.8', '1.21.11', 'go1.22.12'],
  ['go1.22.2', '1.20.4', 'go1.22.2'],
  ['go1.18', '1.25.9', 'go1.25.9'],
])('with %s installed, what was written for %s is built by %s', (installed, wanted, chosen) => {
  expect(chooseGo(installed, wanted)).toBe(chosen);
});

it('refuses a version of Go that the edits were not made for', () => {
  expect(() => chooseGo('go1.27.0', '1.27.1')).toThrow(
    'virtual time needs Go 1.22 to 1.26; this is go1.27.1',
  );
});

const shell = { directory: tmpdir(), program: 'sh' };

it('answers the output, and follows the messages', async () => {
  const lines: string[] = [];
  const output = await runGo(['-c', 'echo out; echo one >&2; echo two >&2'], {
    ...shell,
    line: (text) => lines.push(text),
  });
  expect(output).toBe('out\n');
  expect(lines).toEqual(['one', 'two']);
});

it('shows the messages of a command that fails', async () => {
  await expect(runGo(['-c', 'echo what is wrong >&2; exit 3'], shell)).rejects.toThrow('what is wrong');
});

it('ends the command with its children when it is interrupted', async () => {
  const abort = new AbortController();
  const line = () => abort.abort(new Error('interrupted'));
  // The child holds the output open, so that this only ends when the child does.
  const run = runGo(['-c', 'sleep 1000 & echo started >&2; wait'], { ...shell, signal: abort.signal, line });
  await expect(run).rejects.toThrow('interrupted');
});
