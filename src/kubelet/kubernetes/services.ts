import { z } from 'zod';
import type { ContainerSpec } from './container.js';
import { dnsLabel, objectName } from './names.js';
import { portNumber } from './ports.js';

/** v1.Service, as far as it has a name and an address that lead to pods. */
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

/** v1.Service. */
export type Service = z.output<typeof serviceSchema>;

/** A port of a Service. */
export type ServicePort = Service['spec']['ports'][number];

/** Whether it has no address: its name has those of its pods. */
export const isHeadless = ({ spec }: Service): boolean => spec.clusterIP === 'None';

/** What a Service looks at in a pod. */
interface Labelled {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Whether it may lead to pods. One without a selector, or with a name of elsewhere, leads to none. */
export const leadsToPods = ({ spec: { type, selector = {} } }: Service): boolean =>
  type !== 'ExternalName' && Object.keys(selector).length > 0;

/** Whether a Service leads to a pod. */
export function selects(service: Service, pod: Labelled): boolean {
  const { namespace = 'default', labels = {} } = pod;
  const { metadata, spec } = service;
  return (
    namespace === metadata.namespace &&
    leadsToPods(service) &&
    Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value)
  );
}

/** The port of a pod that a port of a Service leads to (FindPort); undefined for a name that the pod does not have. */
export function targetPort(
  { port, targetPort }: ServicePort,
  containers: readonly Pick<ContainerSpec, 'ports'>[],
): number | undefined {
  if (typeof targetPort !== 'string') return targetPort || port;
  return containers.flatMap(({ ports }) => ports).find(({ name }) => name === targetPort)?.containerPort;
}

/** The TCP ports of a pod that Services lead to. */
export const portsLedTo = (
  services: readonly Service[],
  pod: Labelled,
  containers: readonly Pick<ContainerSpec, 'ports'>[],
): number[] =>
  services
    .filter((service) => selects(service, pod))
    .flatMap(({ spec }) => spec.ports.filter(({ protocol }) => protocol === 'TCP'))
    .flatMap((port) => targetPort(port, containers) ?? []);

/** The Service that a name means to a pod of this namespace, and the pod of it that is named, as in `db-0.db`. */
export function findService(
  services: readonly Service[],
  name: string,
  namespace: string,
): { readonly service: Service; readonly host: string | undefined } | undefined {
  const asked = name.toLowerCase();
  // The search list that the kubelet gives to pods with dnsPolicy ClusterFirst (dns.go generateSearchesForDNSClusterFirst).
  const search = [`.${namespace}.svc.cluster.local`, '.svc.cluster.local', '.cluster.local', ''];
  for (const suffix of asked.endsWith('.') ? [''] : search) {
    const whole = `${asked.replace(/\.$/, '')}${suffix}`;
    const [, host, own, of] = /^(?:([^.]+)\.)?([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(whole) ?? [];
    const service = services.findLast(({ metadata }) => metadata.name === own && metadata.namespace === of);
    if (service !== undefined && (host === undefined || isHeadless(service))) return { service, host };
  }
  return undefined;
}
