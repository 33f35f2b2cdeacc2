import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import {
  ConfigureResponse,
  CreateContainerResponse,
  RegisterPluginRequest,
  UpdateContainersRequest,
} from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { encodeFrame, FrameType } from '../../../src/runtime/ttrpc/frame.js';
import { encodeRequest, encodeResponse } from '../../../src/runtime/ttrpc/messages.js';
import type { Dice, Surface } from './surface.js';

/** The name of the socket for plugins, next to that of the CRI. */
export const PLUGIN_SOCKET = 'nri.sock';

const BATCH = 40;
const OF_PLUGIN = 1;
const OF_RUNTIME = 2;

/** Plugins that send invalid messages: with changed bytes, on each of the connections and on others. */
export const pluginsSurface: Surface = {
  name: 'plugins',
  open: async (victim, dice) => {
    const path = join(dirname(victim.socket), PLUGIN_SOCKET);
    return {
      batch: async () => {
        await Promise.all(Array.from({ length: BATCH }, () => plugin(path, dice)));
        // Plugins act while a client works.
        await victim.cri.listContainers({});
        return BATCH;
      },
      close: () => {},
    };
  },
};

/** Runs one plugin until it has nothing left to send or is disconnected. */
async function plugin(path: string, dice: Dice): Promise<void> {
  const socket = connect(path);
  // The server may disconnect it in the middle of a message.
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve()).on('error', () => {});
  });
  socket.resume();
  if (dice.below(3) > 0) say(socket, OF_RUNTIME, registration(dice));
  for (let count = dice.below(8); count > 0; count--)
    say(socket, dice.of([OF_PLUGIN, OF_RUNTIME, dice.below(5)]), dice.mutate(message(dice)));
  if (dice.below(4) === 0) socket.write(dice.bytes(dice.below(100)));
  socket.end();
  await closed;
}

/** Sends bytes on one of a socket's connections. */
function say(socket: Socket, connection: number, bytes: Buffer): void {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(connection, 0);
  head.writeUInt32BE(bytes.length, 4);
  if (!socket.destroyed) socket.write(Buffer.concat([head, bytes]));
}

const bytesOf = (message: { finish(): Uint8Array }): Buffer => Buffer.from(message.finish());

const registration = (dice: Dice): Buffer =>
  call(
    1,
    'RegisterPlugin',
    bytesOf(
      RegisterPluginRequest.encode({
        pluginName: 'x',
        pluginIdx: dice.of(['10', '99', 'a']),
        NRIVersion: '',
      }),
    ),
  );

const call = (stream: number, method: string, payload: Buffer): Buffer =>
  encodeFrame({
    stream,
    type: FrameType.Request,
    flags: 0,
    payload: encodeRequest({
      service: 'nri.pkg.api.v1alpha1.Runtime',
      method,
      payload,
      timeout: 0n,
      metadata: [],
    }),
  });

/** A valid message from a plugin. */
function message(dice: Dice): Buffer {
  const stream = 1 + 2 * dice.below(4);
  const update = { containerId: 'x'.repeat(64), linux: { resources: { cpu: { shares: { value: 5n } } } } };
  const answers = [
    ConfigureResponse.encode(ConfigureResponse.fromPartial({ events: dice.below(1 << 14) })),
    CreateContainerResponse.encode(
      CreateContainerResponse.fromPartial({ adjust: { env: [{ key: 'A', value: 'b' }] } }),
    ),
  ];
  return dice.of([
    call(
      stream,
      'UpdateContainers',
      bytesOf(UpdateContainersRequest.encode(UpdateContainersRequest.fromPartial({ update: [update] }))),
    ),
    registration(dice),
    encodeFrame({
      stream,
      type: FrameType.Response,
      flags: 0,
      payload: encodeResponse({ status: undefined, payload: bytesOf(dice.of(answers)) }),
    }),
  ]);
}
