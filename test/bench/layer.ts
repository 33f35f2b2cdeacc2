// layer.ts SOCKET with|without: a server like `mockri serve`, with or without the fault layer.
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { subjectOfRequest } from '../../src/cri/subject.js';
import { runtimeTarget } from '../../src/runtime/assembly/origin.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { createFaultHost } from '../../src/runtime/faults/fault-host.js';
import { createFaults } from '../../src/runtime/faults/faults.js';
import { startServer } from '../../src/runtime/server/server.js';

const [socket = '', layer] = process.argv.slice(2);
const clock = createRealClock();
const warn = () => {};
const runtime = await createRuntime({ backend: createMemoryBackend({ clock, warn }), clock, warn });
const host = createFaultHost(runtimeTarget(runtime, warn), { clock, warn });
const faults = layer === 'with' ? createFaults({ host, clock }) : undefined;
const server = await startServer({
  service: faults?.layer(runtime.service) ?? runtime.service,
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
