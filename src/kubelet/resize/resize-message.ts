import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';

/** Message of a resize event: the requested resources as Go's JSON (events/resize.go). */
export function resizeMessage(what: string, { spec }: Pod, generation: number, error = ''): string {
  const { initContainers, containers } = spec;
  const summary = {
    ...(initContainers.length > 0 && { initContainers: initContainers.map(sizeOf) }),
    containers: containers.map(sizeOf),
    generation,
    ...(error !== '' && { error }),
  };
  return `${what}: ${JSON.stringify(summary).replace(/[<>&]/g, escaped)}`;
}

const sizeOf = ({ name, resources: { limits, requests } }: ContainerSpec) => ({
  name,
  resources: {
    ...(Object.keys(limits).length > 0 && { limits: sorted(limits) }),
    ...(Object.keys(requests).length > 0 && { requests: sorted(requests) }),
  },
});

const sorted = (list: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));

const escaped = (sign: string): string => `\\u00${sign.charCodeAt(0).toString(16)}`;
