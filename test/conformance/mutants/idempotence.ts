import { CriError, StatusError } from '../../../src/cri/errors.js';
import {
  asUnknown,
  before,
  ContainerState,
  type Mutant,
  mutant,
  onFailure,
  refuse,
  stateOf,
} from './mutant.js';

const NOT_FOUND = 5;

const isWrongState = (error: Error) => error instanceof CriError && error.kind === 'wrong-state';

export const idempotenceMutants: readonly Mutant[] = [
  mutant('StopContainer of an unknown container fails', 'INV-08.unknown', (real) => ({
    stopContainer: async (request, call) =>
      (await stateOf(real, request.containerId)) === undefined
        ? refuse(NOT_FOUND)
        : real.stopContainer(request, call),
  })),
  mutant('RemovePodSandbox of an unknown sandbox fails', ['INV-08.unknown', 'INV-08.repeated'], (real) => ({
    removePodSandbox: async (request, call) => {
      await real.podSandboxStatus({ podSandboxId: request.podSandboxId, verbose: false }, call);
      return real.removePodSandbox(request, call);
    },
  })),
  mutant('RemoveImage of an unknown image fails', 'INV-08.unknown', (real) => ({
    removeImage: async (request, call) => {
      const { image } = await real.imageStatus({ image: request.image, verbose: false }, call);
      return image === undefined ? refuse(NOT_FOUND) : real.removeImage(request, call);
    },
  })),
  mutant('StopContainer of an exited container fails', 'INV-08.repeated', (real) => ({
    stopContainer: async (request, call) =>
      (await stateOf(real, request.containerId)) === ContainerState.CONTAINER_EXITED
        ? refuse(9)
        : real.stopContainer(request, call),
  })),
  mutant(
    'ContainerStatus of an unknown id is UNKNOWN',
    'INV-09.not-found',
    onFailure('containerStatus', asUnknown),
  ),
  mutant('StartContainer of an unknown id is INVALID_ARGUMENT', 'INV-09.not-found', (real) => ({
    startContainer: async (request, call) =>
      (await stateOf(real, request.containerId)) === undefined
        ? refuse(3)
        : real.startContainer(request, call),
  })),
  mutant('ContainerStatus without an id is OK, without a status', 'INV-10.empty-id', (real) => ({
    containerStatus: async (request, call) =>
      request.containerId === '' ? { status: undefined, info: {} } : real.containerStatus(request, call),
  })),
  mutant('RemovePodSandbox without an id is OK', 'INV-10.empty-id', (real) => ({
    removePodSandbox: async (request, call) =>
      request.podSandboxId === '' ? {} : real.removePodSandbox(request, call),
  })),
  mutant(
    'a wrong state is UNKNOWN',
    'INV-11.wrong-state',
    onFailure('startContainer', (error) => {
      throw isWrongState(error) ? asUnknown(error) : error;
    }),
  ),
  mutant(
    'a sandbox without metadata fails with INTERNAL',
    'INV-11.invalid',
    onFailure('runPodSandbox', (error) => {
      throw new StatusError(13, error.message);
    }),
  ),
  mutant(
    'run_as_group works without a user',
    ['INV-11.invalid', 'INV-11.group-without-user'],
    before('createContainer', ({ config }) => {
      if (config?.linux?.securityContext) config.linux.securityContext.runAsGroup = undefined;
    }),
  ),
  mutant('a name in use is UNKNOWN', 'INV-11.name-taken', onFailure('runPodSandbox', asUnknown)),
];
