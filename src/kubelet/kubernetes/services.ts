import { z } from 'zod';
import type { ContainerSpec } from './container.js';
import { dnsLabel, objectName } from './names.js';
import { portNumber } from './ports.js';

/** v1.Service: the fields that name resolution and routing to pods need. */
export const serviceSchema = z.object({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: z.object({ name: objectName, namespace: dnsLabel.default('default') }),
  spec: z
    .object({
      type: z.string().optional(),
      clusterIP: z.union([z.enum(['', 'None']), z.ipv4(), z.ipv6()]).optional(),
      selector: z.record(z.string(), z.string()).optional(),
      ports: z
        .array(
          z.object({
            name: z.string().optional(),
            protocol: z.string().default('TCP'),
            port: portNumber,
            targetPort: z.union([z.int().min(0).max(65_535), z.string()]).optional(),
          }),
        )
        .default([]),
      publishNotReadyAddresses: z.boolean().default(false),
    })
    .prefault({}),
});

export type Service = z.output<typeof serviceSchema>;

export type ServicePort = Service['spec']['ports'][number];

/** A headless Service has no address: its name resolves to those of its pods. */
export const isHeadless = ({ spec }: Service): boolean => spec.clusterIP === 'None';

interface Labelled {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** False without a selector, and for ExternalName. */
export const leadsToPods = ({ spec: { type, selector = {} } }: Service): boolean =>
  type !== 'ExternalName' && Object.keys(selector).length > 0;

export function selects(service: Service, pod: Labelled): boolean {
  const { namespace = 'default', labels = {} } = pod;
  const { metadata, spec } = service;
  return (
    namespace === metadata.namespace &&
    leadsToPods(service) &&
    Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value)
  );
}

/** FindPort: the pod's port that a Service port targets; undefined for a name that the pod does not have. */
export function targetPort(
  { port, targetPort }: ServicePort,
  containers: readonly Pick<ContainerSpec, 'ports'>[],
): number | undefined {
  if (typeof targetPort !== 'string') return targetPort || port;
  return containers.flatMap(({ ports }) => ports).find(({ name }) => name === targetPort)?.containerPort;
}

export const portsLedTo = (
  services: readonly Service[],
  pod: Labelled,
  containers: readonly Pick<ContainerSpec, 'ports'>[],
): number[] =>
  services
    .filter((service) => selects(service, pod))
    .flatMap(({ spec }) => spec.ports.filter(({ protocol }) => protocol === 'TCP'))
    .flatMap((port) => targetPort(port, containers) ?? []);

/** The Service of a name for a pod of this namespace, and the pod of it that the name selects, as in `db-0.db`. */
export function findService(
  services: readonly Service[],
  name: string,
  namespace: string,
): { readonly service: Service; readonly host: string | undefined } | undefined {
  const asked = name.toLowerCase();
  // The search list of pods with dnsPolicy ClusterFirst (dns.go generateSearchesForDNSClusterFirst).
  const search = [`.${namespace}.svc.cluster.local`, '.svc.cluster.local', '.cluster.local', ''];
  for (const suffix of asked.endsWith('.') ? [''] : search) {
    const whole = `${asked.replace(/\.$/, '')}${suffix}`;
    const [, host, own, of] = /^(?:([^.]+)\.)?([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(whole) ?? [];
    const service = services.findLast(({ metadata }) => metadata.name === own && metadata.namespace === of);
    if (service !== undefined && (host === undefined || isHeadless(service))) return { service, host };
  }
  return undefined;
}
