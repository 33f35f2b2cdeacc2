const RUNTIME_STREAMS = [
  'StreamPodSandboxes',
  'StreamContainers',
  'StreamContainerStats',
  'StreamPodSandboxStats',
  'StreamPodSandboxMetrics',
] as const;
const IMAGE_STREAMS = ['StreamImages'] as const;

export const STREAMS: readonly string[] = [...RUNTIME_STREAMS, ...IMAGE_STREAMS];

/** RPCs of later versions of the CRI, which grpc-go does not know. */
const LATER = {
  RuntimeService: [...RUNTIME_STREAMS, 'UpdatePodSandboxResources', 'CheckpointPod', 'RestorePod'],
  ImageService: IMAGE_STREAMS,
} as const;

/** RPCs that a version lacks, with grpc-go's text: later ones that it doesn't have, and unimplemented ones. */
export function missingRpcs(
  notImplemented: readonly string[],
  has: readonly string[] = [],
): ReadonlyMap<string, string> {
  const later = Object.entries(LATER).flatMap(([service, names]) =>
    names
      .filter((name) => !has.includes(name))
      .map((name) => [name, `unknown method ${name} for service runtime.v1.${service}`] as const),
  );
  const others = notImplemented.map((name) => [name, `method ${name} not implemented`] as const);
  return new Map([...later, ...others]);
}
