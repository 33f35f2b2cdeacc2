// layer.ts SOCKET with|without: a server as `mockri serve` makes it, with the fault layer or without.
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../src/clock/real-clock.js';
import { createRuntime } from '../../src/engine/runtime.js';
import { createFaults } from '../../src/faults/faults.js';
import { subjectOfRequest } from '../../src/faults/matching/subject.js';
import { createFaultHost } from '../../src/server/fault-host.js';
import { runtimeTarget } from '../../src/server/runtime-target.js';
import { startServer } from '../../src/server/server.js';

const [socket = '', layer] = process.argv.slice(2);
const clock = createRealClock();
const warn = () => {};
const runtime = await createRuntime({ backend: createMemoryBackend({ clock, warn }), clock, warn });
const host = createFaultHost(runtimeTarget(runtime, warn), { clock, warn });
const faults = layer === 'with' ? createFaults({ service: runtime.service, host, clock }) : undefined;
const server = await startServer({
  service: faults?.service ?? runtime.service,
  treatConnection: faults?.treatConnection,
  describe: (method, request) => subjectOfRequest(method, request, host),
  clock,
  listen: `unix://${socket}`,
});
console.log('ready');
process.on('SIGTERM', async () => {
  await Promise.all([runtime.close(), server.close()]);
  process.exit(0);
});
