import type { KubeObjects, ServiceAddress } from '../kube-objects.js';

/** Every pod has variables for the API server's Service. */
const MASTER = { namespace: 'default', name: 'kubernetes' };

/**
 * getServiceEnvVarMap (kubelet_pods.go): variables for the API server's Service and, unless the pod opts out, for the
 * Services of its namespace. Throws until Services have been read.
 */
export function serviceVariables(
  objects: KubeObjects,
  namespace: string,
  hasLinks: boolean,
): ReadonlyMap<string, string> {
  const read = (from: string): readonly ServiceAddress[] => {
    const found = objects.services(from);
    if (found !== undefined) return found;
    throw new Error('services have not yet been read at least once, cannot construct envvars');
  };
  const chosen = new Map(
    read(MASTER.namespace).flatMap((each) => (each.name === MASTER.name ? [[each.name, each] as const] : [])),
  );
  if (hasLinks) for (const each of read(namespace)) if (!chosen.has(each.name)) chosen.set(each.name, each);
  return new Map([...chosen.values()].flatMap(variablesOf));
}

/** FromServices (pkg/kubelet/envvars): host, ports, and the variables of Docker links. */
function variablesOf({ name, clusterIP, ports }: ServiceAddress): [string, string][] {
  const prefix = variableName(name);
  const [first] = ports;
  if (first === undefined) return [[`${prefix}_SERVICE_HOST`, clusterIP]];
  const url = ({ port, protocol }: typeof first) =>
    `${protocol.toLowerCase()}://${hostPort(clusterIP, port)}`;
  return [
    [`${prefix}_SERVICE_HOST`, clusterIP],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    ...ports.flatMap((each): [string, string][] =>
      each.name ? [[`${prefix}_SERVICE_PORT_${variableName(each.name)}`, String(each.port)]] : [],
    ),
    [`${prefix}_PORT`, url(first)],
    ...ports.flatMap((each): [string, string][] => {
      const link = `${prefix}_PORT_${each.port}_${each.protocol}`;
      return [
        [link, url(each)],
        [`${link}_PROTO`, each.protocol.toLowerCase()],
        [`${link}_PORT`, String(each.port)],
        [`${link}_ADDR`, clusterIP],
      ];
    }),
  ];
}

const variableName = (text: string): string => text.toUpperCase().replaceAll('-', '_');
const hostPort = (ip: string, port: number): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
