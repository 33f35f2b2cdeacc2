import { z } from 'zod';
import type { AuthConfig } from '../../cri/gen/runtime/v1/api.js';
import type { Pod } from '../../kubernetes/pod.js';
import type { KubeObjects } from '../kube-objects.js';
import type { Recorder } from '../types/ports.js';

const entry = z.looseObject({
  username: z.string().default(''),
  password: z.string().default(''),
  auth: z.string().default(''),
  identitytoken: z.string().default(''),
  registrytoken: z.string().default(''),
});
const entries = z.record(z.string(), entry);
const dockerConfig = z.looseObject({ auths: entries.default({}) });

/** Credentials of the pod's pull secrets for an image, the most specific first (credentialprovider keyring). */
export async function pullCredentials(
  objects: KubeObjects,
  recorder: Recorder,
  pod: Pod,
  image: string,
): Promise<readonly AuthConfig[]> {
  const missing: string[] = [];
  const found: { readonly registry: string; readonly auth: AuthConfig }[] = [];
  for (const { name } of pod.spec.imagePullSecrets ?? []) {
    if (name === '') continue;
    const data = await objects.data('secret', pod.metadata.namespace, name).catch(() => undefined);
    if (data === undefined) missing.push(name);
    else found.push(...readSecret(data));
  }
  if (missing.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
    recorder.event(pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
  }
  return found
    .filter(({ registry }) => isFor(registry, image))
    .sort((a, b) => b.registry.length - a.registry.length)
    .map(({ auth }) => auth);
}

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

/** The registry is the image's, or the beginning of its path. Docker Hub has several names. */
function isFor(registry: string, image: string): boolean {
  const [, host = ''] = /^([^/]+)\//.exec(image) ?? [];
  const isHub = !/[.:]/.test(host) && host !== 'localhost';
  const full = isHub ? `docker.io/${image}` : image;
  const wanted = registry.replace(/^(index|registry-1)\.docker\.io/, 'docker.io');
  return full === wanted || full.startsWith(`${wanted}/`);
}
