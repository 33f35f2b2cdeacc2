import type { ContainerSpec } from '../kubernetes/container.js';
import type { PodSpec } from '../kubernetes/pod.js';

export interface ApiReference {
  readonly path: readonly (string | number)[];
  readonly resource: string;
}

/** pkg/api/pod HasAPIObjectReference: makes the kubelet refuse a static pod, because it could have no mirror pod. */
export function apiReferenceOf(spec: PodSpec): ApiReference | undefined {
  const found = [
    ...inPod(spec),
    ...containersOf(spec).flatMap(inContainer),
    ...spec.volumes.flatMap(inVolume),
  ];
  const named = ORDER.flatMap((name) => found.find(({ resource }) => resource === name) ?? []);
  return named[0] ?? found[0];
}

const ORDER = ['serviceaccounts', 'secrets', 'configmaps', 'resourceclaims'];

type Path = ApiReference['path'];

const at = (path: Path, value: unknown, resource: string): ApiReference[] =>
  value === undefined ? [] : [{ path, resource }];

function inPod({ serviceAccountName, imagePullSecrets = [], ...spec }: PodSpec): ApiReference[] {
  const claims = 'resourceClaims' in spec && Array.isArray(spec.resourceClaims) ? spec.resourceClaims : [];
  return [
    ...at(['serviceAccountName'], serviceAccountName || undefined, 'serviceaccounts'),
    ...imagePullSecrets.flatMap((_, index) => at(['imagePullSecrets', index], true, 'secrets')),
    ...at(['resourceClaims'], claims[0], 'resourceclaims'),
  ];
}

const containersOf = (spec: PodSpec): [path: Path, container: ContainerSpec][] =>
  (['initContainers', 'containers'] as const).flatMap((list) =>
    spec[list].map((container, index): [Path, ContainerSpec] => [[list, index], container]),
  );

function inContainer([path, { env, envFrom = [] }]: [Path, ContainerSpec]): ApiReference[] {
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }, index) => [
      ...at([...path, 'envFrom', index, 'secretRef'], secretRef, 'secrets'),
      ...at([...path, 'envFrom', index, 'configMapRef'], configMapRef, 'configmaps'),
    ]),
    ...env.flatMap(({ valueFrom }, index) => [
      ...at([...path, 'env', index, 'valueFrom', 'secretKeyRef'], valueFrom?.secretKeyRef, 'secrets'),
      ...at(
        [...path, 'env', index, 'valueFrom', 'configMapKeyRef'],
        valueFrom?.configMapKeyRef,
        'configmaps',
      ),
    ]),
  ];
}

const VOLUMES: Readonly<Record<string, string>> = {
  secret: 'secrets',
  configMap: 'configmaps',
  azureFile: 'secrets',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
};

const PROJECTIONS: Readonly<Record<string, string>> = {
  secret: 'secrets',
  configMap: 'configmaps',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};

function inVolume(volume: PodSpec['volumes'][number], index: number): ApiReference[] {
  const path = ['volumes', index];
  const kinds = (object: object, table: Readonly<Record<string, string>>, from: Path) =>
    Object.keys(object).flatMap((kind) => {
      const resource = table[kind];
      return resource === undefined ? [] : [{ path: [...from, kind], resource }];
    });
  return [
    ...kinds(volume, VOLUMES, path),
    ...(volume.projected?.sources ?? []).flatMap((source, at) =>
      kinds(source, PROJECTIONS, [...path, 'projected', 'sources', at]),
    ),
  ];
}
