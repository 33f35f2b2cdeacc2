import { isObject } from '../../../base/input/object.js';

type Raw = Readonly<Record<string, unknown>>;

/** Metadata that only an API server sets and that does not matter to a pod. */
const METADATA = [
  'managedFields',
  'resourceVersion',
  'selfLink',
  'generation',
  'creationTimestamp',
  'finalizers',
];

const ANNOTATIONS =
  /^(kubectl\.kubernetes\.io\/|deployment\.kubernetes\.io\/|deprecated\.|kubernetes\.io\/config\.)/;

/** Values that an API server fills in, by field; anyone who wanted another value has set it. */
const SPEC: Raw = {
  schedulerName: 'default-scheduler',
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  enableServiceLinks: true,
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  serviceAccount: 'default',
  serviceAccountName: 'default',
  securityContext: {},
};

const CONTAINER: Raw = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};

const PROBE: Raw = { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 };

/** Removes from an object what an API server and its admission fill in. */
export function withoutServerFields(object: Raw): Raw {
  const { metadata, spec } = object;
  return { ...object, metadata: ownMetadata(metadata as Raw), spec: ownSpecs(spec as Raw) };
}

function ownMetadata(metadata: Raw): Raw {
  const { annotations, ...rest } = without(metadata, METADATA);
  if (!isObject(annotations)) return rest;
  const own = Object.fromEntries(Object.entries(annotations).filter(([name]) => !ANNOTATIONS.test(name)));
  return { ...rest, ...(Object.keys(own).length > 0 && { annotations: own }) };
}

/** For a pod its specification; for others the template's, wherever it is. */
function ownSpecs(spec: Raw): Raw {
  if (Array.isArray(spec.containers)) return ownPodSpec(spec);
  return Object.fromEntries(
    Object.entries(spec).map(([name, value]) => {
      if ((name !== 'template' && name !== 'jobTemplate') || !isObject(value)) return [name, value];
      const { metadata, spec: inner, ...rest } = value;
      return [
        name,
        {
          ...rest,
          ...(isObject(metadata) && { metadata: ownMetadata(metadata) }),
          spec: ownSpecs(inner as Raw),
        },
      ];
    }),
  );
}

function ownPodSpec(spec: Raw): Raw {
  const { volumes, tolerations, nodeName: _, ephemeralContainers: __, ...rest } = withoutDefaults(spec, SPEC);
  const own = listOf(volumes).filter(({ name }) => !isTokenVolume(name));
  const tolerated = listOf(tolerations).filter((each) => !isAdmitted(each));
  return {
    ...rest,
    ...Object.fromEntries(
      (['initContainers', 'containers'] as const)
        .filter((list) => rest[list] !== undefined)
        .map((list) => [list, listOf(rest[list]).map(ownContainer)]),
    ),
    ...(own.length > 0 && { volumes: own }),
    ...(tolerated.length > 0 && { tolerations: tolerated }),
  };
}

function ownContainer(container: Raw): Raw {
  const { volumeMounts, ...rest } = withoutDefaults(container, CONTAINER);
  const mounts = listOf(volumeMounts).filter(({ name }) => !isTokenVolume(name));
  const probes = (['livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((probe) => {
    const given = rest[probe];
    return isObject(given) ? [[probe, withoutDefaults(given, PROBE)]] : [];
  });
  return { ...rest, ...Object.fromEntries(probes), ...(mounts.length > 0 && { volumeMounts: mounts }) };
}

/** The volume of a service account token (ServiceAccount admission). */
const isTokenVolume = (name: unknown): boolean => /^kube-api-access-[a-z0-9]{5}$/.test(String(name));

/** Five minutes on a node that is not ready (DefaultTolerationSeconds admission). */
const isAdmitted = ({ key, effect, tolerationSeconds }: Raw): boolean =>
  /^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(String(key)) &&
  effect === 'NoExecute' &&
  tolerationSeconds !== undefined;

const listOf = (value: unknown): readonly Raw[] => (Array.isArray(value) ? value : []);

const without = (object: Raw, names: readonly string[]): Raw =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const withoutDefaults = (object: Raw, defaults: Raw): Raw =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !(name in defaults) || JSON.stringify(value) !== JSON.stringify(defaults[name]),
    ),
  );
