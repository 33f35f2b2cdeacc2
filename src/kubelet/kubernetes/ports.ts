import { z } from 'zod';
import { type Fixed, once } from './fields.js';
import { repeatedBy } from './repeated.js';

export const portNumber = z.int().min(1).max(65_535);

const portName = z
  .string()
  .max(15)
  .regex(
    /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    'expected a port name: at most 15 lower-case letters, digits and "-", with at least one letter',
  );

/** IntOrString: a number, or the name of a container port. */
export const namedPort = z.union([portNumber, portName]);

/** Container ports with unique names (core/validation validateContainerPorts). */
export const portsSchema = once((fields) =>
  z
    .array(
      fields({
        name: z.literal('').or(portName).optional(),
        containerPort: portNumber,
        hostPort: z.int().min(0).max(65_535).optional(),
        hostIP: z.string().optional(),
        protocol: z.enum(['TCP', 'UDP', 'SCTP']).default('TCP'),
      }),
    )
    .superRefine((ports, context) => {
      for (const index of repeatedBy(ports, ({ name }) => name)) {
        const input = ports[index]?.name;
        if (!input) continue;
        const message = 'another port has this name';
        context.addIssue({ code: 'custom', path: [index, 'name'], message, input });
      }
    }),
);

type Ports = Fixed<z.output<ReturnType<typeof portsSchema>>>;

/** With host network every port is also a host port (defaults.go defaultHostNetworkPorts). */
export function withHostPorts(ports: Ports, hostNetwork: boolean): Ports {
  return hostNetwork
    ? ports.map((each) => ({ ...each, hostPort: each.hostPort || each.containerPort }))
    : ports;
}

/** checkHostPortConflicts: a host port that several containers use. */
export function findHostPortTwice(
  containers: readonly { readonly ports: Ports }[],
  hostNetwork: boolean,
): { readonly container: number; readonly port: number; readonly hostPort: number } | undefined {
  const seen = new Set<string>();
  for (const [container, { ports }] of containers.entries()) {
    for (const [index, { protocol, hostIP = '', hostPort }] of withHostPorts(ports, hostNetwork).entries()) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(key)) return { container, port: index, hostPort };
      seen.add(key);
    }
  }
  return undefined;
}
