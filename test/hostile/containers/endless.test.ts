import { afterEach, describe, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims, withstand } from '../kit.js';

const temporary = useTemporaryDirectories();

afterEach(killVictims);

/**
 * Scripts that never end, or take all they can get. A sample of four has one that copies, one that sorts, one that starts
 * processes and one that takes memory.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  'cp of an endless file': 'cp /dev/zero /dev/null',
  'cmp of two endless files': 'cmp /dev/zero /dev/zero',
  'sort of an endless file': 'sort /dev/zero',
  'tail of an endless file': 'tail /dev/zero',
  'sort of endless lines': 'yes | sort',
  'base64 of an endless file': 'base64 /dev/zero >/dev/null',
  'grep of a line without end': 'grep x /dev/zero',
  'sed that doubles its hold space': "yes | sed ':a;H;G;h;ba'",
  'dd from one device to another': 'dd if=/dev/zero of=/dev/null bs=64k',
  'a fork bomb': 'b() { b | b & }; b; sleep 1000',
  'dd byte by byte': 'dd if=/dev/zero of=/dev/null bs=1',
  'wc of an endless file': 'wc /dev/zero',
  'a hundred copies': 'for i in $(seq 100); do dd if=/dev/zero of=/dev/null bs=4k & done; wait',
  'busy loops': 'for i in $(seq 100); do while :; do :; done & done; wait',
  'a variable that doubles': 'x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done',
  'subshell loops': 'for i in $(seq 30); do while :; do (:); done & done; wait',
  'parameters that double': 'set -- a b; while :; do set -- "$@" "$@"; done',
  'fields without end': 'for i in $(yes); do :; done',
  'read without end': 'while :; do read x </dev/zero; done',
  'a glob that goes round': 'echo /*/../*/../*/../*/../*/../*/../*/../*',
};

const all = Object.entries(SCRIPTS);
const sample = sampleOf(all, 4);

describe(`${ofAll(sample.length, all.length, 'scripts')} without end`, () => {
  it.each(sample)('continues to serve during %s, and ends on request', async (_, script) => {
    const { exitCode } = await withstand(temporary(), async ({ container }) => {
      await container(script);
    });
    expect(exitCode).toBe(0);
  });
});

it('ends the exec of an endless command at its timeout', async () => {
  const { exitCode } = await withstand(temporary(), async ({ container, cri }) => {
    const containerId = await container('sleep 1000');
    const exec = cri.execSync({ containerId, cmd: ['cp', '/dev/zero', '/dev/null'], timeout: 1n });
    await expect(exec).rejects.toMatchObject({ code: 4 });
    await cri.stopContainer({ containerId, timeout: 0n });
  });
  expect(exitCode).toBe(0);
});
