import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import type { z } from 'zod';
import { parseYaml } from '../../input/yaml.js';
import type { ContainerSpec, EnvVar, Pod, PodSpec } from '../types.js';
import { findWithoutEffect } from './fields-without-effect.js';
import { manifestSchema, type podSchema } from './pod-schema.js';
import { withHostPorts } from './port-schema.js';

/** Data of a static pod that is not in its manifest (config/common.go applyDefaults). */
export interface ManifestOptions {
  /** Appended to the name of every static pod. */
  readonly nodeName: string;
  /** When the manifest was first seen, Unix nanoseconds. */
  readonly now: bigint;
  /** The same manifest at another path is a different pod. */
  readonly path?: string;
}

/** Content of one file. */
export interface Manifest {
  readonly pods: readonly Pod[];
  /** What the file says of each pod, by the pod's uid. */
  readonly objects: ReadonlyMap<string, ManifestObject>;
  /** One line for all valid fields that have no effect here. */
  readonly warnings: readonly string[];
}

/** A v1.Pod as written, without defaults. */
export interface ManifestObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

type RawPod = z.output<typeof podSchema>;

/**
 * Reads the static pods of one file, YAML or JSON, and sets the defaults of the API server and of the kubelet's file
 * source (config/common.go applyDefaults). Throws InputError with the line of each mistake.
 */
export function parseManifest(text: string, file: string, options: ManifestOptions): Manifest {
  const manifest = parseYaml(text, manifestSchema, file);
  const raw: unknown = parse(text);
  const pods = manifest.kind === 'Pod' ? [manifest] : manifest.items;
  const rawPods = (manifest.kind === 'Pod' ? [raw] : (raw as { items: unknown[] }).items) as ManifestObject[];
  const inVain = rawPods.flatMap((pod) => findWithoutEffect({ ...pod }));
  const unique = [...new Set(inVain)];
  const warnings = unique.length > 0 ? [`${file}: no effect here: ${unique.join(', ')}`] : [];
  const made = pods.map((pod) => toPod(pod, options));
  const objects = new Map(rawPods.map((pod, index) => [made[index]?.metadata.uid ?? '', pod]));
  return { pods: made, objects, warnings };
}

function toPod({ metadata, spec }: RawPod, { nodeName, now, path }: ManifestOptions): Pod {
  const uid = metadata.uid ?? uidOf({ metadata, spec, nodeName, path });
  const named = {
    name: `${metadata.name}-${nodeName.toLowerCase()}`,
    namespace: metadata.namespace,
    uid,
    labels: metadata.labels,
  };
  const annotations = {
    ...metadata.annotations,
    'kubernetes.io/config.hash': uid,
    'kubernetes.io/config.seen': rfc3339(now),
    'kubernetes.io/config.source': 'file',
  };
  const complete = { ...spec, nodeName } as unknown as PodSpec;
  const completed = (container: ContainerSpec) => completeContainer(container, complete);
  return {
    metadata: { ...named, annotations, creationTimestamp: now },
    source: 'file',
    spec: {
      ...complete,
      initContainers: complete.initContainers.map(completed),
      containers: complete.containers.map(completed),
    },
  };
}

/** 32 hex digits that depend on the whole manifest, the node and the file. */
function uidOf(pod: object): string {
  return createHash('sha256').update(JSON.stringify(pod)).digest('hex').slice(0, 32);
}

/** Go's time.RFC3339Nano: without trailing zeros. */
function rfc3339(time: bigint): string {
  const seconds = new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = (time % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Sets the host ports of pods with host network, and checks the fields that variables refer to. */
function completeContainer(container: RawContainer, spec: Pick<PodSpec, 'hostNetwork'>): ContainerSpec {
  const ports = withHostPorts(container.ports, spec.hostNetwork);
  const env = container.env.map(({ name, value, valueFrom }) => ({
    name,
    value,
    ...(valueFrom?.fieldRef && { fieldPath: valueFrom.fieldRef.fieldPath }),
  }));
  return { ...container, ports, env };
}

type RawContainer = Omit<ContainerSpec, 'env'> & {
  readonly env: readonly (EnvVar & { readonly valueFrom?: { readonly fieldRef?: { fieldPath: string } } })[];
};
