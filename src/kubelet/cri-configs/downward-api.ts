import { sortPodIps } from '../client/pod-status.js';
import { LABEL_OR_ANNOTATION } from '../kubernetes/environment.js';
import type { Pod } from '../kubernetes/pod.js';

/**
 * Value of `valueFrom.fieldRef` when the container is created (kubelet_pods.go podFieldSelectorRuntimeValue). Empty for
 * values that a kubelet without an API server does not know.
 */
export function valueOfField(
  path: string,
  { metadata, spec }: Pod,
  podIps: readonly string[],
  hostIp = '',
): string {
  const [, map, key = ''] = LABEL_OR_ANNOTATION.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') return metadata[map][key] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    case 'metadata.uid':
      return metadata.uid;
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp;
    // These fields exist only for files in a volume.
    case 'metadata.labels':
      return lines(metadata.labels);
    case 'metadata.annotations':
      return lines(metadata.annotations);
    case 'status.podIP':
      return sortPodIps(podIps)[0] ?? '';
    case 'status.podIPs':
      return sortPodIps(podIps).join(',');
    default:
      return '';
  }
}

/** FormatMap (pkg/fieldpath): sorted, one `key="value"` for each line. */
const lines = (map: Readonly<Record<string, string>>): string =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
