import { join } from 'node:path';
import { formatEndpoint, parseEndpoint } from '../../../runtime/server/endpoint.js';
import type { Credentials } from './credentials.js';

export interface ControlPlanePlaces {
  readonly directory: string;
  /** Of the API server. */
  readonly port: number;
  readonly credentials: Credentials;
  /** File that says where the API server connects to nodes. */
  readonly egress: string;
}

export const ADMIN = 'admin';
export const CONTROLLERS = 'kube-controller-manager';
export const SCHEDULER = 'kube-scheduler';

/** User that a program is to the API server (RBAC bootstrap policy, Node authorizer). */
export function userOf(program: string, nodes: readonly string[]): string {
  if (nodes.includes(program)) return `system:node:${program}`;
  return [CONTROLLERS, SCHEDULER].includes(program) ? `system:${program}` : program;
}

/** In the directory, which only this user can enter: etcd asks nobody for credentials. */
const socketOf = ({ directory }: Pick<ControlPlanePlaces, 'directory'>, of: 'clients' | 'peers') =>
  formatEndpoint(parseEndpoint(join(directory, `etcd-${of}`)));

export const etcdArgs = (places: ControlPlanePlaces): readonly string[] => {
  const [clients, peers] = [socketOf(places, 'clients'), socketOf(places, 'peers')];
  return [
    ...['--data-dir', join(places.directory, 'etcd'), '--unsafe-no-fsync'],
    ...['--logger', 'zap', '--log-level', 'warn'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `default=${peers}`],
  ];
};

export const apiServerArgs = ({
  credentials: { files },
  egress,
  ...places
}: ControlPlanePlaces): readonly string[] => [
  ...['--bind-address', '127.0.0.1', '--secure-port', `${places.port}`],
  ...['--etcd-servers', socketOf(places, 'clients'), '--endpoint-reconciler-type', 'none'],
  ...['--service-cluster-ip-range', '10.0.0.0/16', '--allow-privileged', '--authorization-mode', 'Node,RBAC'],
  ...['--token-auth-file', files.tokens, '--tls-cert-file', files.cert, '--tls-private-key-file', files.key],
  ...['--service-account-issuer', 'https://kubernetes.default.svc.cluster.local'],
  ...['--service-account-key-file', files.accountPublicKey],
  ...['--service-account-signing-key-file', files.accountKey, '--egress-selector-config-file', egress],
];

export const controllersArgs = ({ credentials: { files } }: ControlPlanePlaces): readonly string[] => [
  ...['--leader-elect=false', '--secure-port', '0', '--use-service-account-credentials'],
  ...['--root-ca-file', files.cert, '--service-account-private-key-file', files.accountKey],
  ...['--kube-api-qps', '500', '--kube-api-burst', '1000', '--kubeconfig', '$(KUBECONFIG)'],
];

export const schedulerArgs: readonly string[] = [
  ...['--leader-elect=false', '--secure-port', '0', '--kubeconfig', '$(KUBECONFIG)'],
  ...['--kube-api-qps', '500', '--kube-api-burst', '1000'],
];
