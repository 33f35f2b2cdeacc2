import type { AddressInfo, Server } from 'node:net';

/** The server stays open when it can't accept a connection, such as without a free descriptor. */
const lose = (): void => {};

/** Resolves with the port; 0 selects a free one. Rejects when the server can't listen there. */
export const openPort = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject).off('error', lose).on('error', lose);
      resolve((server.address() as AddressInfo).port);
    });
  });
