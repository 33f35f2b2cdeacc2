import { StatusError } from '../../../cri/errors.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';

/** cri-dockerd panics (a nil pointer) on requests that lack expected fields, and systemd restarts it. */
const crash = (): StatusError => new StatusError(Code.UNAVAILABLE, 'error reading from server: EOF');

type Crashing = Pick<
  CriService,
  | 'runPodSandbox'
  | 'createContainer'
  | 'updateContainerResources'
  | 'imageStatus'
  | 'pullImage'
  | 'removeImage'
  | 'updateRuntimeConfig'
>;

/** The RPCs that make it panic; the service answers the others. */
export const crashing = (service: CriService): Crashing => ({
  runPodSandbox: (request, call) => {
    if (request.config?.metadata === undefined) throw crash();
    return service.runPodSandbox(request, call);
  },
  createContainer: (request, call) => {
    const { config, sandboxConfig } = request;
    const isChecked = config === undefined || (sandboxConfig === undefined && config.metadata !== undefined);
    const isWhole = config?.metadata !== undefined && sandboxConfig?.metadata !== undefined;
    if (!isChecked && !isWhole) throw crash();
    return service.createContainer(request, call);
  },
  updateContainerResources: (request, call) => {
    if (request.linux === undefined) throw crash();
    return service.updateContainerResources(request, call);
  },
  imageStatus: (request, call) => {
    if (request.image === undefined) throw crash();
    return service.imageStatus(request, call);
  },
  pullImage: (request, call) => {
    if (request.image === undefined) throw crash();
    return service.pullImage(request, call);
  },
  removeImage: (request, call) => {
    if (request.image === undefined) throw crash();
    return service.removeImage(request, call);
  },
  updateRuntimeConfig: (request, call) => {
    if (request.runtimeConfig !== undefined && request.runtimeConfig.networkConfig === undefined)
      throw crash();
    return service.updateRuntimeConfig(request, call);
  },
});
