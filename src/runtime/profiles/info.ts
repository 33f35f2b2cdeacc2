/** Verbose information by key; values are JSON. */
export type Info = { [key: string]: string };

export const parseInfo = <T>(info: Info): T => JSON.parse(info.info ?? '{}') as T;

export const infoOf = (value: object): Info => ({ info: JSON.stringify(value) });

/** Information for ImageStatus of CRI-O (server/image_status.go) and cri-dockerd (core/convert.go), from the engine's. */
export const imageInfo = (given: Info): Info =>
  infoOf({ imageSpec: parseInfo<{ readonly imageSpec?: object }>(given).imageSpec ?? {} });
