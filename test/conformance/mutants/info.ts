import { CriError, StatusError } from '../../../src/cri/errors.js';
import { after, ContainerState, inStatus, type Mutant, mutant, onFailure, refuse } from './mutant.js';

export const infoMutants: readonly Mutant[] = [
  mutant('Version changes', 'INV-50.constant', (real) => {
    let calls = 0;
    return after('version', (reply) => {
      reply.runtimeVersion += `.${calls++}`;
    })(real);
  }),
  mutant('the runtime handlers change', 'INV-50.constant', (real) => {
    let calls = 0;
    return after('status', ({ runtimeHandlers }) => {
      runtimeHandlers.push({ name: `extra-${calls++}`, features: undefined });
    })(real);
  }),
  mutant(
    'runtime_api_version is empty',
    'INV-50.version',
    after('version', (reply) => {
      reply.runtimeApiVersion = '';
    }),
  ),
  mutant(
    'a runtime handler is listed twice',
    'INV-50.handlers',
    after('status', ({ runtimeHandlers }) => {
      runtimeHandlers.push({ name: 'twice', features: undefined }, { name: 'twice', features: undefined });
    }),
  ),
  mutant('an unknown runtime handler is accepted', 'INV-50.handlers', (real) => ({
    runPodSandbox: (request, call) => real.runPodSandbox({ ...request, runtimeHandler: '' }, call),
  })),
  mutant(
    'Status lacks NetworkReady',
    'INV-51.conditions',
    after('status', ({ status }) => {
      if (status) status.conditions = status.conditions.filter(({ type }) => type !== 'NetworkReady');
    }),
  ),
  mutant(
    'NetworkReady is false without a reason',
    'INV-51.conditions',
    after('status', ({ status }) => {
      for (const condition of status?.conditions ?? [])
        if (condition.type === 'NetworkReady')
          Object.assign(condition, { status: false, reason: '', message: '' });
    }),
  ),
  mutant('an empty runtime config is rejected', 'INV-52.empty-config', () => ({
    updateRuntimeConfig: async () => refuse(3),
  })),
  mutant('a restart makes running containers CREATED', 'INV-53.restart', (real, context) =>
    inStatus((status) => {
      if (context.isRestarted()) status.state = ContainerState.CONTAINER_CREATED;
    })(real),
  ),
  mutant('a restart loses containers', 'INV-53.restart', (real, context) =>
    after('containerStatus', () => {
      if (context.isRestarted()) refuse(5);
    })(real),
  ),
  mutant('a restart frees names', 'INV-53.restart', (real, context) =>
    onFailure('createContainer', (error) => {
      if (context.isRestarted() && error instanceof CriError) return { containerId: 'd'.repeat(64) };
      throw error;
    })(real),
  ),
  mutant(
    'an injected error loses its code',
    'INV-54.no-fault-left',
    onFailure('version', (error) => {
      throw new StatusError(2, error.message);
    }),
  ),
  mutant('an injected error persists after the removal of its rule', 'INV-54.no-fault-left', (real) => {
    let last: Error | undefined;
    return {
      version: async (request, call) => {
        if (last) throw last;
        return real.version(request, call).catch((error: Error) => {
          last = error;
          throw error;
        });
      },
    };
  }),
];
