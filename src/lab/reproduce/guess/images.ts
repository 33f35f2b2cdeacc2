import { ASSUMED_USER } from '../../../../adapters/memory/images/catalog.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import type { LoadedPod } from '../../scenario/file/loaded-scenario.js';
import type { Observation } from '../observation.js';

const PRESENT = /^Container image "([^"]+)" already present on machine/;
const PULLED = /^(?:Pulling image|Successfully pulled image|Failed to pull image|pulling image) "([^"]+)"/;

/** Images on the node: present when a container was created, without an observed pull. */
export function presentImagesOf({ events }: Observation): string[] {
  const named = (pattern: RegExp) =>
    new Set(events.flatMap(({ message }) => pattern.exec(message)?.[1] ?? []));
  const pulled = named(PULLED);
  return [...named(PRESENT)].filter((image) => !pulled.has(image));
}

const AS_ROOT = /^Error: container has runAsNonRoot and image will run as root \(.*container: ([^)]+)\)/;

interface Written {
  readonly name?: string;
  readonly securityContext?: { readonly runAsUser?: number };
}

/** Images that run as root, as an event says of a container. */
export function rootImagesOf(pods: readonly Pod[], seen: Observation): string[] {
  const names = rootContainers(seen);
  return pods
    .flatMap(({ spec }) => [...spec.initContainers, ...spec.containers])
    .filter(({ name }) => names.has(name))
    .map(({ image }) => image);
}

const rootContainers = ({ events }: Observation): ReadonlySet<string> =>
  new Set(events.flatMap(({ message }) => AS_ROOT.exec(message)?.[1] ?? []));

/** Drops the user that a manifest's container was assumed to have (onItsNode), if an event says that it is root. */
export function withoutAssumedUser(entry: LoadedPod, seen: Observation): LoadedPod {
  const names = rootContainers(seen);
  const manifest = entry.manifest as { readonly spec?: Readonly<Record<string, unknown>> } | undefined;
  if (names.size === 0 || manifest?.spec === undefined) return entry;
  const lists = ['initContainers', 'containers'].flatMap((list) => {
    const all = manifest.spec?.[list] as readonly Written[] | undefined;
    return all === undefined
      ? []
      : [[list, all.map((each) => (names.has(each.name ?? '') ? asRoot(each) : each))]];
  });
  return { ...entry, manifest: { ...manifest, spec: { ...manifest.spec, ...Object.fromEntries(lists) } } };
}

function asRoot(container: Written): Written {
  const { runAsUser, ...rest } = container.securityContext ?? {};
  return runAsUser === ASSUMED_USER ? { ...container, securityContext: rest } : container;
}
