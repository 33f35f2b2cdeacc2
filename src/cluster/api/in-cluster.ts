import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';
import { readTextFile } from '../../base/input/text-file.js';
import { UserError } from '../../base/input/user-error.js';
import { tokenFile } from './credentials.js';
import type { Connection } from './kubeconfig.js';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server of this pod's cluster (client-go rest.InClusterConfig). */
export function inCluster(environment: NodeJS.ProcessEnv, clock: Clock): Connection {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  const token = join(ACCOUNT, 'token');
  if (!host || !port || !existsSync(token))
    throw new UserError(
      'no kubeconfig: give --kubeconfig FILE, or set KUBECONFIG (~/.kube/config is not there, and this process does not run in a pod)',
    );
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    ca: readTextFile(join(ACCOUNT, 'ca.crt'), 'ca.crt'),
    insecure: false,
    credentials: tokenFile(token, clock),
  };
}
