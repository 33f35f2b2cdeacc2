import { z } from 'zod';
import { containerSchema, dnsLabel, restartPolicy } from './container-schema.js';
import { withoutEffect } from './fields-without-effect.js';
import { ignored } from './handler-schema.js';
import { findHostPortTwice } from './port-schema.js';

const strings = z.record(z.string(), z.string()).default({});

const metadata = z.strictObject({
  name: z
    .string()
    .max(253)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
      'expected a DNS name: lower-case letters, digits, "-" and "."',
    ),
  namespace: dnsLabel.default('default'),
  // It names directories of the pod.
  uid: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9][-A-Za-z0-9._]*$/, 'expected letters, digits, "-", "." and "_"')
    .optional(),
  labels: strings,
  annotations: strings,
  ...ignored(withoutEffect.metadata),
});

const volume = z.strictObject({
  name: dnsLabel,
  hostPath: z.strictObject({ path: z.string().min(1), type: z.string().optional() }).optional(),
  emptyDir: z
    .strictObject({ medium: z.string().optional(), sizeLimit: z.union([z.string(), z.number()]).optional() })
    .optional(),
  ...ignored(withoutEffect.volume),
});

const podSecurityContext = z.strictObject({
  runAsUser: z.int().min(0).optional(),
  runAsGroup: z.int().min(0).optional(),
  runAsNonRoot: z.boolean().optional(),
  ...ignored(withoutEffect.podSecurityContext),
});

const spec = z
  .strictObject({
    initContainers: z.array(containerSchema).default([]),
    containers: z.array(containerSchema).min(1, 'expected at least one container'),
    restartPolicy: restartPolicy.default('Always'),
    terminationGracePeriodSeconds: z.int().min(0).default(30),
    activeDeadlineSeconds: z.int().min(1).max(2_147_483_647).optional(),
    hostNetwork: z.boolean().default(false),
    hostPID: z.boolean().default(false),
    hostIPC: z.boolean().default(false),
    shareProcessNamespace: z.boolean().default(false),
    hostname: dnsLabel.optional(),
    hostAliases: z
      .array(
        z.strictObject({ ip: z.union([z.ipv4(), z.ipv6()]), hostnames: z.array(z.string()).default([]) }),
      )
      .optional(),
    nodeName: z.string().optional(),
    runtimeClassName: z.string().optional(),
    dnsPolicy: z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']).default('ClusterFirst'),
    securityContext: podSecurityContext.default({}),
    volumes: z.array(volume).default([]),
    ...ignored(withoutEffect.spec),
  })
  .superRefine((given, context) => {
    checkNames(given, context);
    checkInitContainers(given, context);
    checkMounts(given, context);
    checkHostPorts(given, context);
    checkSleeps(given, context);
    if (given.hostPID && given.shareProcessNamespace) {
      issue(context, ['shareProcessNamespace'], 'cannot be enabled together with hostPID', true);
    }
  });

type Spec = {
  terminationGracePeriodSeconds: number;
  hostNetwork: boolean;
  initContainers: z.output<typeof containerSchema>[];
  containers: z.output<typeof containerSchema>[];
  volumes: z.output<typeof volume>[];
};

type Context = z.core.$RefinementCtx;

function checkNames({ initContainers, containers, volumes }: Spec, context: Context): void {
  const seen = new Set<string>();
  for (const [list, items] of Object.entries({ initContainers, containers })) {
    for (const [index, { name }] of items.entries()) {
      if (seen.has(name)) issue(context, [list, index, 'name'], 'another container has this name', name);
      seen.add(name);
    }
  }
  for (const [index, { name }] of volumes.entries()) {
    const first = volumes.findIndex((other) => other.name === name);
    if (first < index) issue(context, ['volumes', index, 'name'], 'another volume has this name', name);
  }
}

/**
 * Among init containers only sidecars can have probes and hooks. An init container's own policy can only be
 * Always.
 */
function checkInitContainers({ initContainers }: Spec, context: Context): void {
  for (const [index, container] of initContainers.entries()) {
    if (container.restartPolicy === 'Always') continue;
    for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const) {
      if (container[field] === undefined) continue;
      issue(
        context,
        ['initContainers', index, field],
        'only allowed in init containers with restartPolicy Always',
      );
    }
  }
}

function checkMounts({ initContainers, containers, volumes }: Spec, context: Context): void {
  const known = new Set(volumes.map(({ name }) => name));
  for (const [list, items] of Object.entries({ initContainers, containers })) {
    for (const [index, { volumeMounts }] of items.entries()) {
      for (const [mount, { name, mountPath }] of volumeMounts.entries()) {
        const path = [list, index, 'volumeMounts', mount];
        if (!known.has(name)) issue(context, [...path, 'name'], 'no volume has this name', name);
        if (volumeMounts.findIndex((other) => other.mountPath === mountPath) === mount) continue;
        issue(context, [...path, 'mountPath'], 'another mount has this path', mountPath);
      }
    }
  }
}

/** Init containers are checked separately: they run one after another. */
function checkHostPorts({ hostNetwork, initContainers, containers }: Spec, context: Context): void {
  const report = (list: string, first: number, containers: Spec['containers']) => {
    const found = findHostPortTwice(containers, hostNetwork);
    if (found === undefined) return;
    const path = [list, first + found.container, 'ports', found.port];
    issue(context, path, 'another port of the pod uses this host port', found.hostPort);
  };
  report('containers', 0, containers);
  for (const [index, container] of initContainers.entries()) report('initContainers', index, [container]);
}

/** The sleep of a hook cannot exceed the pod's grace period (validateSleepAction). */
function checkSleeps(spec: Spec, context: Context): void {
  const grace = spec.terminationGracePeriodSeconds;
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, { lifecycle }] of spec[list].entries()) {
      for (const hook of ['postStart', 'preStop'] as const) {
        const seconds = lifecycle?.[hook]?.sleep?.seconds;
        if (seconds === undefined || seconds <= grace) continue;
        const path = [list, index, 'lifecycle', hook, 'sleep', 'seconds'];
        issue(context, path, `expected no more than terminationGracePeriodSeconds (${grace})`, seconds);
      }
    }
  }
}

function issue(context: Context, path: PropertyKey[], message: string, input?: unknown): void {
  context.addIssue({ code: 'custom', path, message, input });
}

/** The supported part of v1.Pod; all other fields of v1.Pod are accepted and dropped. */
export const podSchema = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata,
  spec,
  status: z.unknown().optional(),
});

const listMetadata = z.unknown().optional();

/** Content of a manifest file: a pod, or a list of pods. */
export const manifestSchema = z.discriminatedUnion('kind', [
  podSchema,
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('PodList'),
    metadata: listMetadata,
    items: z.array(podSchema),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('List'),
    metadata: listMetadata,
    items: z.array(podSchema),
  }),
]);
