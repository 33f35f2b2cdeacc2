import { z } from 'zod';
import type { AuthConfig } from '../../cri/gen/runtime/v1/api.js';
import type { KubeObjects } from '../kube-objects.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Recorder } from '../types/ports.js';
import type { PullSecret } from './pull-records.js';

const entry = z.looseObject({
  username: z.string().default(''),
  password: z.string().default(''),
  auth: z.string().default(''),
  identitytoken: z.string().default(''),
  registrytoken: z.string().default(''),
});
const entries = z.record(z.string(), entry);
const dockerConfig = z.looseObject({ auths: entries.default({}) });

export interface Credentials {
  readonly auth: AuthConfig;
  readonly secret: PullSecret;
}

/** Credentials of the pod's pull secrets for an image, most specific first (credentialprovider keyring). */
export async function pullCredentials(
  objects: KubeObjects,
  pod: Pod,
  image: string,
): Promise<readonly Credentials[]> {
  const secrets = await pullSecrets(objects, pod);
  return secrets
    .flatMap(({ name, data }) =>
      data === undefined ? [] : readSecret(data).map((read) => ({ ...read, name })),
    )
    .filter(({ registry }) => isFor(registry, image))
    .sort((a, b) => b.registry.length - a.registry.length)
    .map(({ auth, name }) => ({
      auth,
      secret: { namespace: pod.metadata.namespace, name, hash: JSON.stringify(auth) },
    }));
}

export async function warnOfMissingSecrets(
  objects: KubeObjects,
  recorder: Recorder,
  pod: Pod,
): Promise<void> {
  const secrets = await pullSecrets(objects, pod);
  const missing = secrets.filter(({ data }) => data === undefined).map(({ name }) => name);
  if (missing.length === 0) return;
  const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
  recorder.event(pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
}

/** Without data for secrets that do not exist. */
const pullSecrets = ({ data }: KubeObjects, { spec, metadata }: Pod) =>
  Promise.all(
    (spec.imagePullSecrets ?? [])
      .filter(({ name }) => name !== '')
      .map(async ({ name }) => ({
        name,
        data: await data('secret', metadata.namespace, name).catch(() => undefined),
      })),
  );

function readSecret(data: ReadonlyMap<string, Buffer>) {
  const [config, old] = [data.get('.dockerconfigjson'), data.get('.dockercfg')];
  const auths =
    config === undefined
      ? entries.safeParse(parse(old)).data
      : dockerConfig.safeParse(parse(config)).data?.auths;
  return Object.entries(auths ?? {}).map(([serverAddress, given]) => {
    const [username = '', ...rest] = Buffer.from(given.auth, 'base64').toString().split(':');
    const auth: AuthConfig = {
      username: given.username || username,
      password: given.password || rest.join(':'),
      auth: '',
      serverAddress,
      identityToken: given.identitytoken,
      registryToken: given.registrytoken,
    };
    return { registry: serverAddress.replace(/^https?:\/\//, '').replace(/\/v[12]?\/?$|\/$/, ''), auth };
  });
}

function parse(text: Buffer | undefined): unknown {
  try {
    return JSON.parse(text?.toString() ?? '{}');
  } catch {
    return {};
  }
}

/** The registry is the image's host, or a prefix of its path. Docker Hub has several names. */
function isFor(registry: string, image: string): boolean {
  const [, host = ''] = /^([^/]+)\//.exec(image) ?? [];
  const isHub = !/[.:]/.test(host) && host !== 'localhost';
  const full = isHub ? `docker.io/${image}` : image;
  const wanted = registry.replace(/^(index|registry-1)\.docker\.io/, 'docker.io');
  return full === wanted || full.startsWith(`${wanted}/`);
}
