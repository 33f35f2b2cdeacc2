import {
  ContainerStatusRequest,
  ListContainersRequest,
  ListContainersResponse,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { type Section, SIXTEEN, VERSION } from '../context.js';
import { byTurns } from '../support/turns.js';

const LIST = '/runtime.v1.RuntimeService/ListContainers';
const STATUS = '/runtime.v1.RuntimeService/ContainerStatus';

/** The full list, compared with a bare server that has a reply of the same size ready. */
export const list: Section = {
  name: 'list',
  title: 'ListContainers of 10,000 containers, compared with a bare server and a reply of the same size',
  async run({ servers, drive, crowded }) {
    const { server } = await crowded();
    const reply = Buffer.from(ListContainersResponse.encode(await server.cri.listContainers({})).finish());
    const bare = await servers.bare({ replies: { [LIST]: reply.toString('base64') } });
    const request = ListContainersRequest.encode(ListContainersRequest.fromPartial({})).finish();
    const load = { path: LIST, request, calls: 200, connections: 2, streams: 2 };
    const rates = await byTurns(
      () => drive({ ...load, socket: bare.socket }),
      () => drive({ ...load, socket: server.socket }),
    );
    await bare.stop();
    return [
      { name: 'size of the list', value: reply.length / 2 ** 20, unit: 'MiB' },
      { name: 'bare server', value: rates.base, unit: 'calls/s' },
      { name: 'Mockri', value: rates.measured, unit: 'calls/s' },
      { name: 'Mockri / bare', value: rates.ratio, unit: '', aim: { atLeast: 0.7 } },
    ];
  },
};

/** A call about one of many containers must cost no more than a call about the only one. */
export const status: Section = {
  name: 'status',
  title: 'ContainerStatus with 10,000 containers, compared with Version of the same server',
  async run({ drive, crowded }) {
    const { server, containerId } = await crowded();
    const request = ContainerStatusRequest.encode({ containerId, verbose: false }).finish();
    const load = { socket: server.socket, calls: 30_000, ...SIXTEEN };
    const rates = await byTurns(
      () => drive({ ...load, path: VERSION, request: new Uint8Array() }),
      () => drive({ ...load, path: STATUS, request }),
    );
    return [
      { name: 'Version', value: rates.base, unit: 'calls/s' },
      { name: 'ContainerStatus', value: rates.measured, unit: 'calls/s' },
      { name: 'ContainerStatus / Version', value: rates.ratio, unit: '', aim: { atLeast: 0.7 } },
    ];
  },
};

/** After a full garbage collection, with 10,000 running pods. */
export const memory: Section = {
  name: 'memory',
  title: 'Memory of a running pod with one container',
  async run({ crowded }) {
    const { bytesPerPod } = await crowded();
    return [{ name: 'pod and container', value: bytesPerPod / 1024, unit: 'KiB', aim: { below: 6 } }];
  },
};
