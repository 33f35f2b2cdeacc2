// ttrpc.ts serve|call SOCKET: the server and the client of src/runtime/ttrpc, for the Go implementation on the other end.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import {
  RegisterPluginRequest,
  RuntimeDefinition,
  UpdateContainersRequest,
} from '../../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { createClient } from '../../../../src/runtime/ttrpc/client.js';
import { statusError } from '../../../../src/runtime/ttrpc/error.js';
import { pipeOf } from '../../../../src/runtime/ttrpc/pipe.js';
import { serve, served } from '../../../../src/runtime/ttrpc/server.js';

const [what, socket = ''] = process.argv.slice(2);
const clock = createRealClock();
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;

if (what === 'serve') {
  const runtime = served(RuntimeDefinition, {
    registerPlugin: async ({ pluginName }, { signal }) => {
      if (pluginName === 'refused') throw statusError(PERMISSION_DENIED, 'not you');
      if (pluginName !== 'slow') return {};
      // As with a Go server: its reply may arrive before the client gives up.
      await once(signal, 'abort');
      throw statusError(DEADLINE_EXCEEDED, 'context deadline exceeded');
    },
    updateContainers: ({ update }) => ({ failed: update }),
  });
  createServer((peer) => serve(pipeOf(peer), [runtime], clock)).listen(socket);
} else {
  const peer = connect(socket);
  await once(peer, 'connect');
  const client = createClient(pipeOf(peer), clock);
  const echoed = async (containerId: string) => {
    const request = UpdateContainersRequest.fromPartial({ update: [{ containerId }] });
    const { failed } = await client.call(RuntimeDefinition, 'updateContainers', request);
    if (failed[0]?.containerId !== containerId) throw new Error('the answer is another one');
  };
  const fails = async (pluginName: string, expected: RegExp, timeout?: number) => {
    const request = RegisterPluginRequest.fromPartial({ pluginName });
    const error = await client.call(RuntimeDefinition, 'registerPlugin', request, { timeout }).then(
      () => 'no error',
      ({ kind, message }) => `${kind}: ${message}`,
    );
    if (!expected.test(error)) throw new Error(`${pluginName}: expected ${expected}, got ${error}`);
  };
  await Promise.all(Array.from({ length: 100 }, (_, number) => echoed(`call ${number}`)));
  for (const length of [0, 1, 1 << 20, (4 << 20) - 100]) await echoed('x'.repeat(length));
  await fails('refused', /^status: not you$/);
  // Both ends know the deadline, and either may be first.
  await fails('slow', /^(timeout|status): context deadline exceeded$/, 50);
  await echoed('after all of that');
  console.log('every answer is as it should be');
  client.close();
}
