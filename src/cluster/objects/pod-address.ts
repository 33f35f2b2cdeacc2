/**
 * Simulated pods listen on 127.64.0.0/10, so that probes and port-forward reach them without their own network. The API
 * server refuses loopback addresses in Endpoints and EndpointSlices (ValidateEndpointIP), so the cluster sees the same
 * address in 10.64.0.0/10.
 */
export const toClusterAddress = (ip: string): string => ip.replace(/^127\./, '10.');

/** The inverse of `toClusterAddress`; keeps other addresses. */
export const toLocalAddress = (ip: string): string =>
  ip.replace(/^10(?=\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/, '127');
