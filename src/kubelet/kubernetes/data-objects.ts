import { z } from 'zod';
import type { ContainerSpec } from './container.js';
import { dataKey, dnsLabel, objectName } from './names.js';
import type { PodSpec } from './pod.js';
import { sourcesOf, type Volume, type VolumeProjection } from './volumes.js';

/** The kinds of objects whose data pods see, as volumes and variables name them. */
export type DataKind = 'configMap' | 'secret';

const texts = z.record(dataKey, z.string()).optional();
/** Base64, in which Go ignores line ends. */
const base64 = texts;
const metadata = z.object({ name: objectName, namespace: dnsLabel.default('default') });

/** v1.ConfigMap and v1.Secret, as far as pods see them. */
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

/** v1.ConfigMap or v1.Secret. */
export type DataObject = z.output<typeof dataObjectSchema>;

/** How volumes and variables name the kind of an object. */
export const dataKindOf = ({ kind }: Pick<DataObject, 'kind'>): DataKind =>
  kind === 'Secret' ? 'secret' : 'configMap';

/** The data of an object, in the order of its keys. */
export function dataIn(object: DataObject): ReadonlyMap<string, Buffer> {
  const [plain, encoded] =
    object.kind === 'Secret' ? [object.stringData, object.data] : [object.data, object.binaryData];
  const all = [
    ...Object.entries(encoded ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
    ...Object.entries(plain ?? {}).map(([key, text]) => [key, Buffer.from(text)] as const),
  ];
  return new Map(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What a pod wants of an object. */
export interface DataReference {
  readonly kind: DataKind;
  readonly name: string;
  readonly isOptional: boolean;
  /** The keys that it names. */
  readonly keys: readonly string[];
}

/** The ConfigMaps and Secrets that volumes and variables of a pod refer to, one entry for each reference. */
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

/** Whether it is known what is in a volume when its pod starts: none of the objects that fill it is missing. */
export const isContentKnown = (volume: Volume, has: (kind: DataKind, name: string) => boolean): boolean =>
  (sourcesOf(volume) ?? [])
    .flatMap((source) => ofSource(source, []))
    .every(({ kind, name, isOptional }) => isOptional || has(kind, name));
