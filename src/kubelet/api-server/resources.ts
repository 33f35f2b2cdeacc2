/** By the plural name in the path, for objects that nodes request. */
const kinds: Readonly<Record<string, string>> = {
  certificatesigningrequests: 'CertificateSigningRequest',
  clustertrustbundles: 'ClusterTrustBundle',
  configmaps: 'ConfigMap',
  csidrivers: 'CSIDriver',
  csinodes: 'CSINode',
  events: 'Event',
  leases: 'Lease',
  namespaces: 'Namespace',
  nodes: 'Node',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  persistentvolumes: 'PersistentVolume',
  podcertificaterequests: 'PodCertificateRequest',
  pods: 'Pod',
  resourceclaims: 'ResourceClaim',
  resourceslices: 'ResourceSlice',
  runtimeclasses: 'RuntimeClass',
  secrets: 'Secret',
  serviceaccounts: 'ServiceAccount',
  services: 'Service',
  volumeattachments: 'VolumeAttachment',
};

/** For the path of a collection such as `/apis/storage.k8s.io/v1/csinodes`; undefined for other paths. */
export function kindOfCollection(path: string): { apiVersion: string; kind: string } | undefined {
  const [, version = '', plural = ''] =
    /^\/(?:api|apis)\/([^/]+(?:\/[^/]+)??)(?:\/namespaces\/[^/]+)?\/([^/]+)$/.exec(path) ?? [];
  const kind = kinds[plural];
  return kind === undefined ? undefined : { apiVersion: version, kind };
}
