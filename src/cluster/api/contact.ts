import type { Clock } from '../../base/clock/clock.js';
import { UserError } from '../../base/input/user-error.js';
import { InputError } from '../../base/input/yaml.js';
import type { ApiClient } from './api-client.js';
import { ApiError } from './api-error.js';

export interface ContactOptions {
  readonly api: ApiClient;
  readonly server: URL;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** In ms, while the API server is unreachable; doubles up to the last. */
const FIRST_PAUSE = 500;
const LAST_PAUSE = 10_000;

const UNTRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * Resolves when the API server has replied; logs once why it does not. Rejects with UserError for permanent errors: it
 * does not know the user, or is not trusted.
 */
export async function reachServer({ api, server, clock, signal, log }: ContactOptions): Promise<void> {
  let told = '';
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LAST_PAUSE, pause * 2)) {
    try {
      await api.request({ method: 'GET', path: '/version', priority: 'first' });
      return;
    } catch (error) {
      signal.throwIfAborted();
      const hopeless = whyHopeless(error);
      if (hopeless !== undefined) throw new UserError(`API server ${server.origin}: ${hopeless}`);
      // A refusal of this request is a reply, too.
      if (error instanceof ApiError && error.code < 500) return;
      const { message } = error as Error;
      if (message !== told) log(`API server ${server.origin}: ${message}; trying again until it answers`);
      told = message;
      await clock.sleep(pause, signal);
    }
  }
}

function whyHopeless(error: unknown): string | undefined {
  if (error instanceof UserError || error instanceof InputError) return error.message;
  if (error instanceof ApiError)
    return error.code === 401
      ? 'Unauthorized: it does not take the credentials; check the user of the kubeconfig, or its token'
      : undefined;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (UNTRUSTED.has(code))
    return `its certificate is not trusted (${message}); give its authority as certificate-authority in the kubeconfig`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name (${message}); give the name as tls-server-name in the kubeconfig`;
  if (code.startsWith('ERR_OSSL'))
    return `a certificate or key of the kubeconfig can't be read (${message}); they are PEM, in base64 where the field ends with -data`;
  return undefined;
}
