import {
  ContainerStatusRequest,
  ListContainersRequest,
  ListContainersResponse,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { type Section, SIXTEEN, VERSION } from '../context.js';

const LIST = '/runtime.v1.RuntimeService/ListContainers';
const STATUS = '/runtime.v1.RuntimeService/ContainerStatus';

/** The whole list, beside a bare server that has the same number of bytes ready. */
export const list: Section = {
  name: 'list',
  title: 'ListContainers of 10,000 containers, beside a bare server with the same bytes',
  async run({ servers, drive, crowded }) {
    const { server } = await crowded();
    const reply = Buffer.from(ListContainersResponse.encode(await server.cri.listContainers({})).finish());
    const bare = await servers.bare(LIST, reply);
    const request = ListContainersRequest.encode(ListContainersRequest.fromPartial({})).finish();
    const load = { path: LIST, request, calls: 200, connections: 2, streams: 2 };
    const bareRate = await drive({ ...load, socket: bare.socket });
    const realRate = await drive({ ...load, socket: server.socket });
    await bare.stop();
    return [
      { name: 'size of the list', value: reply.length / 2 ** 20, unit: 'MiB' },
      { name: 'bare server', value: bareRate, unit: 'calls/s' },
      { name: 'Mockri', value: realRate, unit: 'calls/s' },
      { name: 'Mockri / bare', value: realRate / bareRate, unit: '', aim: { atLeast: 0.7 } },
    ];
  },
};

/** One container among many has to cost no more than one alone. */
export const status: Section = {
  name: 'status',
  title: 'ContainerStatus among 10,000 containers, beside Version of the same server',
  async run({ drive, crowded }) {
    const { server, containerId } = await crowded();
    const request = ContainerStatusRequest.encode({ containerId, verbose: false }).finish();
    const load = { socket: server.socket, calls: 30_000, ...SIXTEEN };
    const versionRate = await drive({ ...load, path: VERSION, request: new Uint8Array() });
    const statusRate = await drive({ ...load, path: STATUS, request });
    return [
      { name: 'Version', value: versionRate, unit: 'calls/s' },
      { name: 'ContainerStatus', value: statusRate, unit: 'calls/s' },
      { name: 'ContainerStatus / Version', value: statusRate / versionRate, unit: '', aim: { atLeast: 0.7 } },
    ];
  },
};

/** After a full collection, with 10,000 running pods. */
export const memory: Section = {
  name: 'memory',
  title: 'Memory of a running pod with one container',
  async run({ crowded }) {
    const { bytesPerPod } = await crowded();
    return [{ name: 'pod and container', value: bytesPerPod / 1024, unit: 'KiB', aim: { below: 6 } }];
  },
};
