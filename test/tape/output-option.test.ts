import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.js';
import { recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectory } from '../support/temporary.js';

const directory = useTemporaryDirectory();

test.each([
  [['view'], 'none/page.html', 'there is no such directory'],
  [['export', '--format', 'otlp'], '', 'it is a directory; give a file'],
])('tape %j refuses an output that can’t be written with exit code 2', async (command, output, reason) => {
  const file = await recordRun({ directory }, (cri) => wholeLife(cri, 'web'));
  const { code, err } = await runCommand('tape', ...command, file, '--output', join(directory, output));
  expect(err).toContain(`--output: ${reason}`);
  expect(code).toBe(2);
});
