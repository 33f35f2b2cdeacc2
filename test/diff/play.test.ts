import { expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { connectCri } from '../../src/cri/client/connect.js';
import { playBoth } from '../../src/suite/diff/play.js';
import { openSide } from '../../src/suite/diff/side.js';
import type { Sequence } from '../../src/suite/diff/steps.js';
import { startTestEndpoint } from '../conformance/test-endpoint.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { IMAGE } from './rig.js';

const temporary = useTemporaryDirectories();

test('the end of a program is awaited, even after a failed reuse of its name', async () => {
  const target = await startTestEndpoint();
  const cri = connectCri(target.endpoint);
  try {
    await cri.pullImage({ image: { image: IMAGE } });
    const side = await openSide(
      { name: 'memory', cri },
      {
        clock: createRealClock(),
        run: 'play',
        image: IMAGE,
        directory: temporary(),
        timeout: 5000,
        signal: new AbortController().signal,
      },
    );
    const container = { form: '', pod: 'p1', container: 'c1' } as const;
    const sequence: Sequence = [
      { calls: [{ method: 'RunPodSandbox', form: '', pod: 'p1' }] },
      { calls: [{ ...container, method: 'CreateContainer', program: 'is killed' }] },
      { calls: [{ ...container, method: 'CreateContainer', program: 'sleeps' }] },
      { calls: [{ method: 'StartContainer', form: '', container: 'c1' }] },
    ];
    const [{ steps }] = await playBoth([side, side], sequence, 't');
    expect(steps[2]?.outcomes).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    const status = steps[3]?.observations.find(({ of }) => of === 'c1');
    expect(JSON.stringify(status)).toContain('CONTAINER_EXITED');
  } finally {
    cri.close();
    await target.close();
  }
});
