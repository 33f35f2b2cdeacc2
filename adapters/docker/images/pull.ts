import type { Readable } from 'node:stream';
import { CriError, invalid } from '../../../src/cri/errors.js';
import type { AuthConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../../src/cri/image-reference.js';
import type { ImagePull } from '../../../src/runtime/engine/backend/images.js';
import type { Context } from '../context.js';
import { messageOf, statusOf, toCriError } from '../errors.js';
import { filledLines } from '../lines.js';

/** Time in ms without progress after which a pull fails (containerd's image_pull_progress_timeout). */
const STALLED = 5 * 60_000;

/** Resolves with the full name of the image. Docker discards an unfinished pull when the connection ends. */
export async function pullImage(
  { docker, clock }: Context,
  { image, auth }: ImagePull,
  signal: AbortSignal,
): Promise<string> {
  const parsed = parseImageReference(image.image);
  if (parsed === undefined)
    throw invalid(
      `failed to pull image "${image.image}": invalid reference format: expected [DOMAIN/]PATH[:TAG][@DIGEST], the path in lowercase`,
      { name: 'malformed-image', image: image.image },
    );
  const reference = formatImageReference(parsed);
  const what = `pulling ${reference}`;
  const ending = new AbortController();
  const cancel = () => ending.abort();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let isStalled = false;
  const watch = () =>
    clock.setTimer(STALLED, () => {
      isStalled = true;
      cancel();
    });
  let timer = watch();
  try {
    const authconfig = auth === undefined ? {} : { authconfig: credentials(auth) };
    const stream = await clock.idle(docker.pull(reference, { ...authconfig, abortSignal: ending.signal }));
    for await (const { error } of progress(stream as Readable)) {
      timer.cancel();
      timer = watch();
      if (error !== undefined) throw refused(reference, error);
    }
    return reference;
  } catch (error) {
    if (isStalled)
      throw new CriError('unavailable', `${what} was given up: no progress for ${STALLED / 1000} s`);
    if (signal.aborted) throw new CriError('cancelled', `${what} was cancelled by the client`);
    throw statusOf(error) === undefined ? toCriError(error, what) : refused(reference, messageOf(error));
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', cancel);
  }
}

interface Progress {
  readonly error?: string;
}

async function* progress(stream: Readable): AsyncGenerator<Progress> {
  for await (const line of filledLines(stream)) yield JSON.parse(line) as Progress;
}

/** Docker forwards only the text of the registry's error in the progress stream. */
function refused(reference: string, error: string): CriError {
  const message = `failed to pull image "${reference}": ${error}`;
  if (/manifest unknown|not found/i.test(error)) return new CriError('not-found', message);
  if (/unauthorized|denied|authentication/i.test(error)) return new CriError('denied', message);
  if (/no space left on device/i.test(error)) return new CriError('exhausted', message);
  // cri-api pkg/errors ErrRegistryUnavailable, which the kubelet looks for.
  const isAway = /dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/i.test(error);
  return new CriError('unavailable', isAway ? `RegistryUnavailable: ${message}` : message);
}

/** cri-api AuthConfig: `auth` is base64 of `user:password`; an identity token is for the registry's own server. */
function credentials(auth: AuthConfig): Record<string, string> {
  const { serverAddress: serveraddress, identityToken, registryToken } = auth;
  const [user = '', ...rest] = Buffer.from(auth.auth, 'base64').toString('utf8').split(':');
  return {
    username: auth.username || user,
    password: auth.password || rest.join(':'),
    ...(serveraddress !== '' && { serveraddress }),
    ...(identityToken !== '' && { identitytoken: identityToken }),
    ...(registryToken !== '' && { registrytoken: registryToken }),
  };
}
