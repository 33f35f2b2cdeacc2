import { expect, it, onTestFinished } from 'vitest';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client/connect.js';
import { StatusResponse, VersionResponse } from '../../../src/cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../src/cri/service.js';
import { startServer } from '../../../src/runtime/server/server.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { until } from '../../support/turns.js';

const temporary = useTemporaryDirectories();
const clock = createRealClock();
const CALLS = 300;

it('a call does not wait for hundreds that another client has sent at once', async () => {
  let answered = 0;
  const service: Partial<CriService> = {
    version: () => VersionResponse.fromPartial({}),
    status: async () => {
      await undefined;
      for (const end = clock.elapsed() + 3; clock.elapsed() < end; );
      answered++;
      return StatusResponse.fromPartial({});
    },
  };
  const listen = `${temporary()}/cri.sock`;
  const server = await startServer({ service: service as CriService, clock, listen });
  onTestFinished(() => server.close());
  const [greedy, other] = [connectCri(listen), connectCri(listen)];
  for (const client of [greedy, other]) {
    onTestFinished(client.close);
    await client.version({});
  }

  const calls = Array.from({ length: CALLS }, () => greedy.status({}));
  await until(() => answered > 0);
  await other.version({});
  expect(answered).toBeLessThan(CALLS / 3);
  await Promise.all(calls);
});
