// pinner.ts MODE: a plugin that gives each container its own CPU, as a resource driver does. It connects to
// $NRI_SOCKET, and reconnects whenever the connection is lost. MODE is its behavior in Synchronize:
//   reconciles   gives CPUs to containers that have none, as dra-driver-cpu does since its pull request 115
//   trusts       takes over the CPUs in use, and changes nothing: the defect of dra-driver-cpu 109
//   forgets      ignores the existing containers
import { connect } from 'node:net';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import {
  type Container,
  ContainerAdjustment,
  ContainerUpdate,
  CreateContainerResponse,
  SynchronizeResponse,
} from '../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { statusError } from '../../../src/runtime/ttrpc/error.js';
import { pipeOf } from '../../../src/runtime/ttrpc/pipe.js';
import { createPlugin, type PluginHandlers } from '../../support/nri/plugin.js';

const [mode = 'reconciles'] = process.argv.slice(2);
const NOT_FOUND = 5;
const clock = createRealClock();
/** CPUs by container id. */
const taken = new Map<string, string>();

function take(id: string): string {
  const all = new Set(taken.values());
  let cpu = 0;
  while (all.has(String(cpu))) cpu += 1;
  taken.set(id, String(cpu));
  return String(cpu);
}

const pinned = (cpus: string) => ({ linux: { resources: { cpu: { cpus } } } });

function synchronized(containers: readonly Container[]): ContainerUpdate[] {
  taken.clear();
  if (mode === 'forgets') return [];
  const without = containers.filter(({ id, linux }) => {
    const cpus = linux?.resources?.cpu?.cpus ?? '';
    taken.set(id, cpus);
    return cpus === '';
  });
  for (const { id } of without) taken.delete(id);
  return mode === 'trusts'
    ? without.flatMap(({ id }) => {
        taken.set(id, 'shared');
        return [];
      })
    : without.map(({ id }) => ContainerUpdate.fromPartial({ containerId: id, ...pinned(take(id)) }));
}

const handlers: PluginHandlers = {
  synchronize: ({ containers, more }) =>
    SynchronizeResponse.fromPartial({ update: synchronized(containers), more }),
  createContainer: ({ container }) =>
    CreateContainerResponse.fromPartial({
      adjust: ContainerAdjustment.fromPartial(pinned(take(container?.id ?? ''))),
    }),
  updateContainer: ({ container }) => {
    if (!taken.has(container?.id ?? ''))
      throw statusError(NOT_FOUND, `container ${container?.name} is not known`);
    return { update: [], evict: [] };
  },
  removeContainer: ({ container }) => {
    taken.delete(container?.id ?? '');
    return {};
  },
};

/** Time in ms between two attempts to connect. */
const PAUSE = 20;

function begin(): void {
  const socket = connect(process.env.NRI_SOCKET ?? '');
  socket.once('error', () => {});
  socket.once('close', () => clock.setTimer(PAUSE, begin));
  socket.once('connect', () => {
    const plugin = createPlugin(pipeOf(socket), clock, handlers);
    plugin.register({ pluginIdx: '10', pluginName: 'pinner' }).catch(() => {});
  });
}
begin();
