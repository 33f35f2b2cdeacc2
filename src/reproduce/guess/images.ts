import type { Observation } from '../observation.js';

const PRESENT = /^Container image "([^"]+)" already present on machine/;
const PULLED = /^(?:Pulling image|Successfully pulled image|Failed to pull image|pulling image) "([^"]+)"/;

/** Images that nobody was seen to pull and that were there when a container was made: the node has them. */
export function presentImagesOf({ events }: Observation): string[] {
  const named = (pattern: RegExp) =>
    new Set(events.flatMap(({ message }) => pattern.exec(message)?.[1] ?? []));
  const pulled = named(PULLED);
  return [...named(PRESENT)].filter((image) => !pulled.has(image));
}
