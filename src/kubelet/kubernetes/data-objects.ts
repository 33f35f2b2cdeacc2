import { z } from 'zod';
import type { ContainerSpec } from './container.js';
import { dataKey, dnsLabel, objectName } from './names.js';
import type { PodSpec } from './pod.js';
import { sourcesOf, type Volume, type VolumeProjection } from './volumes.js';

export type DataKind = 'configMap' | 'secret';

const texts = z.record(dataKey, z.string()).optional();
/** Go ignores line breaks in base64. */
const base64 = texts;
const metadata = z.object({ name: objectName, namespace: dnsLabel.default('default') });

/** v1.ConfigMap and v1.Secret: the fields that pods use. */
export const dataObjectSchema = z.discriminatedUnion('kind', [
  z.object({
    apiVersion: z.literal('v1'),
    kind: z.literal('ConfigMap'),
    metadata,
    data: texts,
    binaryData: base64,
  }),
  z.object({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    data: base64,
    stringData: texts,
  }),
]);

export type DataObject = z.output<typeof dataObjectSchema>;

export const dataKindOf = ({ kind }: Pick<DataObject, 'kind'>): DataKind =>
  kind === 'Secret' ? 'secret' : 'configMap';

export function dataIn(object: DataObject): ReadonlyMap<string, Buffer> {
  const [plain, encoded] =
    object.kind === 'Secret' ? [object.stringData, object.data] : [object.data, object.binaryData];
  const all = [
    ...Object.entries(encoded ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
    ...Object.entries(plain ?? {}).map(([key, text]) => [key, Buffer.from(text)] as const),
  ];
  return new Map(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export interface DataReference {
  readonly kind: DataKind;
  readonly name: string;
  readonly isOptional: boolean;
  readonly keys: readonly string[];
}

export function dataReferences(spec: PodSpec): DataReference[] {
  const containers = [...spec.initContainers, ...spec.containers];
  return [
    ...containers.flatMap(ofContainer),
    ...spec.volumes.flatMap((volume) => {
      // A container that mounts a file of the volume names a key.
      const mounted = containers.flatMap(({ volumeMounts }) =>
        volumeMounts.flatMap(({ name, subPath }) => (name === volume.name && subPath ? [subPath] : [])),
      );
      return (sourcesOf(volume) ?? []).flatMap((source) => ofSource(source, mounted));
    }),
  ];
}

function ofContainer({ env, envFrom = [] }: ContainerSpec): DataReference[] {
  const reference = (
    kind: DataKind,
    ref: { readonly name: string; readonly optional: boolean; readonly key?: string } | undefined,
  ): DataReference[] =>
    ref === undefined
      ? []
      : [{ kind, name: ref.name, isOptional: ref.optional, keys: ref.key === undefined ? [] : [ref.key] }];
  return [
    ...env.flatMap(({ valueFrom }) => [
      ...reference('configMap', valueFrom?.configMapKeyRef),
      ...reference('secret', valueFrom?.secretKeyRef),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...reference('configMap', configMapRef),
      ...reference('secret', secretRef),
    ]),
  ];
}

function ofSource({ configMap, secret }: VolumeProjection, mounted: readonly string[]): DataReference[] {
  const references: DataReference[] = [];
  for (const [kind, source] of [
    ['configMap', configMap],
    ['secret', secret],
  ] as const) {
    if (source === undefined) continue;
    const keys = source.items?.map(({ key }) => key) ?? mounted.filter((path) => !path.includes('/'));
    references.push({ kind, name: source.name, isOptional: source.optional, keys });
  }
  return references;
}

/** Whether all objects that fill a volume exist, so that its contents are known when its pod starts. */
export const isContentKnown = (volume: Volume, has: (kind: DataKind, name: string) => boolean): boolean =>
  (sourcesOf(volume) ?? [])
    .flatMap((source) => ofSource(source, []))
    .every(({ kind, name, isOptional }) => isOptional || has(kind, name));
