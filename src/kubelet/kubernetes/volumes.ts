import { z } from 'zod';
import { fileFieldRef, resourceFieldRef } from './environment.js';
import { ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { dataKey, dnsLabel, objectName, pathInVolume } from './names.js';

/** validateLocalNonReservedPath. */
const filePath = pathInVolume.min(1).refine((path) => !path.startsWith('..'), 'must not start with ".."');
/** Permission bits (validateFileMode); null counts as absent. */
const fileMode = z.int().min(0).max(0o777).nullish();
/** SetDefaults_ConfigMapVolumeSource and similar defaults. */
const defaultMode = z.int().min(0).max(0o777).default(0o644);
const optional = z.boolean().default(false);

/** v1.KeyToPath. Without items, every key of the object becomes a file. */
const items = once((fields) => z.array(fields({ key: dataKey, path: filePath, mode: fileMode })).optional());

const downwardItem = once((fields) =>
  fields({
    path: filePath,
    fieldRef: fileFieldRef(fields).optional(),
    resourceFieldRef: resourceFieldRef(fields).optional(),
    mode: fileMode,
  }).superRefine(({ fieldRef, resourceFieldRef: resource }, context) => {
    if ((fieldRef === undefined) !== (resource === undefined)) return;
    context.addIssue({ code: 'custom', message: 'expected exactly one of fieldRef, resourceFieldRef' });
  }),
);

const downwardAPI = once((fields) => z.array(downwardItem(fields)).default([]));

/** v1.VolumeProjection. */
const projection = once((fields) =>
  fields({
    configMap: fields({ name: objectName, optional, items: items(fields) }).optional(),
    secret: fields({ name: objectName, optional, items: items(fields) }).optional(),
    downwardAPI: fields({ items: downwardAPI(fields) }).optional(),
    serviceAccountToken: fields({
      /** Empty means the API server's own. */
      audience: z.string().default(''),
      expirationSeconds: z.int().default(3600),
      path: filePath,
    }).optional(),
    ...ignored(withoutEffect.projection),
  }),
);

/** v1.Volume. A type that is not listed is an empty directory of the pod. */
export const volumeSchema = once((fields) =>
  fields({
    name: dnsLabel,
    hostPath: fields({ path: z.string().min(1), type: z.string().nullish() }).optional(),
    emptyDir: fields({
      medium: z.string().optional(),
      sizeLimit: z.union([z.string(), z.number()]).optional(),
    }).optional(),
    configMap: fields({ name: objectName, optional, items: items(fields), defaultMode }).optional(),
    secret: fields({ secretName: objectName, optional, items: items(fields), defaultMode }).optional(),
    downwardAPI: fields({ items: downwardAPI(fields), defaultMode }).optional(),
    projected: fields({ sources: z.array(projection(fields)).default([]), defaultMode }).optional(),
    persistentVolumeClaim: fields({ claimName: objectName, readOnly: z.boolean().default(false) }).optional(),
    image: fields({
      reference: z.string().min(1).optional(),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
    }).optional(),
    ...ignored(withoutEffect.volume),
  }),
);

/** v1.VolumeMount. */
export const volumeMountSchema = once((fields) =>
  fields({
    name: z.string(),
    mountPath: z.string().min(1),
    readOnly: z.boolean().default(false),
    /** File or directory of the volume that is mounted instead of the whole volume. */
    subPath: pathInVolume.optional(),
    /** Like `subPath`, with `$(NAME)` for variables of the container. */
    subPathExpr: pathInVolume.optional(),
    ...ignored(withoutEffect.volumeMount),
  }).superRefine(({ subPath, subPathExpr }, context) => {
    if (!subPath || !subPathExpr) return;
    const message = 'cannot be set together with subPath';
    context.addIssue({ code: 'custom', path: ['subPathExpr'], message, input: subPathExpr });
  }),
);

export type Volume = Read<typeof volumeSchema>;
export type VolumeProjection = Read<typeof projection>;
export type TokenProjection = NonNullable<VolumeProjection['serviceAccountToken']>;

/** Sources of a volume with files from the API or about the pod; undefined for others. */
export function sourcesOf({
  configMap,
  secret,
  downwardAPI,
  projected,
}: Volume): readonly VolumeProjection[] | undefined {
  if (projected !== undefined) return projected.sources;
  if (configMap !== undefined) return [{ configMap }];
  if (secret !== undefined) return [{ secret: { ...secret, name: secret.secretName } }];
  return downwardAPI && [{ downwardAPI }];
}

/** Default permissions of the files in a volume. */
export const defaultModeOf = ({ configMap, secret, downwardAPI, projected }: Volume): number =>
  (projected ?? configMap ?? secret ?? downwardAPI)?.defaultMode ?? 0o644;
