import type { Drive } from './support/drive.js';
import type { Figure } from './support/result.js';
import type { RealServer, ServerFactory } from './support/servers.js';

export interface Context {
  readonly servers: ServerFactory;
  readonly drive: Drive;
  /** A server with 10,000 running pods of one container each, shared by all sections. */
  crowded(): Promise<Crowd>;
}

export interface Crowd {
  readonly server: RealServer;
  readonly pods: number;
  /** Memory in use per pod with its container, in bytes. */
  readonly bytesPerPod: number;
  /** The id of one of the containers. */
  readonly containerId: string;
}

export interface Section {
  readonly name: string;
  readonly title: string;
  run(context: Context): Promise<readonly Figure[]>;
}

export const VERSION = '/runtime.v1.RuntimeService/Version';
/** Sixteen parallel calls. */
export const SIXTEEN = { connections: 2, streams: 8 } as const;
