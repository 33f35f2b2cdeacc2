import { words } from './fields.js';
/** Valid v1.Pod fields (up to 1.37) without effect: they need a scheduler, an API server, or a kernel. */
export const withoutEffect = {
  metadata: words(`finalizers generateName generation managedFields ownerReferences resourceVersion selfLink
    creationTimestamp`),
  spec: words(`automountServiceAccountToken dnsConfig hostUsers overhead
    preemptionPolicy priorityClassName resourceClaims schedulerName
    schedulingGates serviceAccount setHostnameAsFQDN
    topologySpreadConstraints workloadRef`),
  container: words('volumeDevices'),
  valueFrom: words('fileKeyRef'),
  lifecycle: words('stopSignal'),
  volume: words(`awsElasticBlockStore azureDisk azureFile cephfs cinder csi ephemeral fc
    flexVolume flocker gcePersistentDisk gitRepo glusterfs iscsi nfs
    photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`),
  projection: words('clusterTrustBundle podCertificate'),
  volumeMount: words('mountPropagation recursiveReadOnly'),
  resources: words('claims'),
  securityContext: words('appArmorProfile procMount seLinuxOptions seccompProfile windowsOptions'),
  podSecurityContext: words(`appArmorProfile fsGroupChangePolicy seLinuxChangePolicy
    seLinuxOptions seccompProfile supplementalGroupsPolicy windowsOptions`),
} as const;

type Raw = Readonly<Record<string, unknown>>;

const OF_NODES = words('affinity nodeSelector os priority tolerations');

/** Paths such as `spec.containers[0].volumeDevices` that a manifest sets without effect; ignores API defaults. */
export function findWithoutEffect(pod: object, isAdmitted: boolean): string[] {
  const spec = objectAt({ ...pod }, 'spec');
  const lists = (['initContainers', 'containers'] as const).flatMap((list) =>
    listAt(spec, list).flatMap((container, index) => inContainer(container, `spec.${list}[${index}]`)),
  );
  const volumes = listAt(spec, 'volumes').flatMap((volume, index) =>
    present(volume, withoutEffect.volume, `spec.volumes[${index}]`),
  );
  const security = objectAt(spec, 'securityContext');
  return [
    ...present(spec, [...withoutEffect.spec, ...(isAdmitted ? [] : OF_NODES), 'ephemeralContainers'], 'spec'),
    ...present(security, withoutEffect.podSecurityContext, 'spec.securityContext'),
    ...lists,
    ...volumes,
  ];
}

function inContainer(container: Raw, path: string): string[] {
  const mounts = listAt(container, 'volumeMounts').flatMap((mount, index) =>
    present(mount, withoutEffect.volumeMount, `${path}.volumeMounts[${index}]`),
  );
  const sources = listAt(container, 'env').flatMap((variable, index) =>
    present(objectAt(variable, 'valueFrom'), withoutEffect.valueFrom, `${path}.env[${index}].valueFrom`),
  );
  const security = objectAt(container, 'securityContext');
  return [
    ...present(container, withoutEffect.container, path),
    ...sources,
    ...present(objectAt(container, 'lifecycle'), withoutEffect.lifecycle, `${path}.lifecycle`),
    ...present(objectAt(container, 'resources'), withoutEffect.resources, `${path}.resources`),
    ...present(security, withoutEffect.securityContext, `${path}.securityContext`),
    ...mounts,
  ];
}

const present = (object: Raw, names: readonly string[], path: string): string[] =>
  names.filter((name) => object[name] !== undefined).map((name) => `${path}.${name}`);

const objectAt = (object: Raw, name: string): Raw => (object[name] ?? {}) as Raw;
const listAt = (object: Raw, name: string): readonly Raw[] => (object[name] ?? []) as readonly Raw[];
