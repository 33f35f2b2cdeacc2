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
