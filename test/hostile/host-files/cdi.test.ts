import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDevices } from '../../../src/runtime/cdi/devices.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();

const specOf = (name: string, padding = '') =>
  JSON.stringify({
    cdiVersion: '0.6.0',
    kind: 'example.com/device',
    annotations: { padding },
    devices: [{ name, containerEdits: { env: [`DEVICE=${name}`] } }],
  });

function open(directory: string) {
  const warnings: string[] = [];
  return { devices: openDevices([directory], (message) => warnings.push(message)), warnings };
}

it('pipes, devices, links and huge files in a directory of CDI devices: the valid file is read', () => {
  const directory = temporary();
  const path = (name: string) => join(directory, name);
  spawnSync('mkfifo', [path('a-pipe.json')]);
  symlinkSync('/dev/zero', path('b-device.json'));
  symlinkSync('/proc/self/mem', path('c-memory.json'));
  symlinkSync(path('d-loop.json'), path('d-loop.json'));
  symlinkSync('/', path('e-directory.json'));
  symlinkSync(path('nowhere'), path('f-dangling.json'));
  writeFileSync(path('g-huge.json'), specOf('huge', 'x'.repeat(2_000_000)));
  writeFileSync(path('h-deep.json'), '['.repeat(100_000));
  writeFileSync(path('z-good.json'), specOf('good'));
  const { devices, warnings } = open(directory);
  expect(devices.resolve(['example.com/device=good']).env).toEqual(['DEVICE=good']);
  expect(warnings.length).toBe(8);
  expect(() => devices.resolve(['example.com/device=huge'])).toThrow('unresolvable CDI devices');
});

it('many large files in a directory of CDI devices: only some of them are kept', () => {
  const directory = temporary();
  for (let n = 0; n < 8; n++)
    writeFileSync(join(directory, `${100 + n}.json`), specOf(`d${n}`, 'x'.repeat(900_000)));
  const { devices, warnings } = open(directory);
  expect(devices.resolve(['example.com/device=d0']).env).toEqual(['DEVICE=d0']);
  expect(() => devices.resolve(['example.com/device=d7'])).toThrow('unresolvable CDI devices');
  expect(warnings).toEqual([expect.stringContaining('more than 4194304 bytes')]);
});
