import { type Info, infoOf, parseInfo } from '../info.js';
/** Information for Status (core/docker_service.go). */
export const statusInfo = (): Info => ({
  config: JSON.stringify({ sandboxImage: 'registry.k8s.io/pause:3.10' }),
});

/** Information for ContainerStatus (core/convert.go), from the engine's info. */
export function containerInfo(given: Info, isRunning: boolean): Info {
  const { sandboxID, pid } = parseInfo<{ readonly sandboxID: string; readonly pid: number }>(given);
  return infoOf({ sandboxID, pid: isRunning ? pid : 0 });
}
