import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

it('what a plugin prints is not taken for the ready line of the server', async () => {
  const directory = temporary();
  const plugins = join(directory, 'plugins');
  const plugin = join(plugins, '10-loud');
  mkdirSync(plugins);
  writeFileSync(plugin, `#!/bin/sh\necho '{"control":"http://elsewhere"}'\n`);
  chmodSync(plugin, 0o755);
  const { control } = await startVictim(directory, ['--nri-plugin', plugins]);
  expect(control).toBeNull();
});

it.each([
  ['a directory of plugins that is not there', ['--nri-plugin', '/nowhere/plugins'], 1],
  ['a socket of plugins that cannot be made', ['--nri-socket', '/nowhere/nri.sock'], 1],
])('with %s, the server ends', async (_, flags, code) => {
  await expect(startVictim(temporary(), flags)).rejects.toThrow(
    new RegExp(`^exit ${code}: mockri: .*/nowhere`),
  );
});
