/** Verbose information by key; values are JSON. */
type Info = { [key: string]: string };

/** Information for Status (core/docker_service.go). */
export const statusInfo = (): Info => ({
  config: JSON.stringify({ sandboxImage: 'registry.k8s.io/pause:3.10' }),
});

/** Information for ContainerStatus (core/convert.go), from the engine's info. */
export function containerInfo(given: Info, isRunning: boolean): Info {
  const { sandboxID, pid } = parse<{ readonly sandboxID: string; readonly pid: number }>(given);
  return json({ sandboxID, pid: isRunning ? pid : 0 });
}

/** Information for ImageStatus (core/convert.go), from the engine's info. */
export const imageInfo = (given: Info): Info =>
  json({ imageSpec: parse<{ readonly imageSpec?: object }>(given).imageSpec ?? {} });

const parse = <T>(info: Info): T => JSON.parse(info.info ?? '{}') as T;

const json = (value: object): Info => ({ info: JSON.stringify(value) });
