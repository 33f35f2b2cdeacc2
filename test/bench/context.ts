import type { Drive } from './support/drive.js';
import type { Figure } from './support/result.js';
import type { RealServer, ServerFactory } from './support/servers.js';

/** What a section measures with. */
export interface Context {
  readonly servers: ServerFactory;
  readonly drive: Drive;
  /** A server with 10,000 running pods of one container; the same one for all sections. */
  crowded(): Promise<Crowd>;
}

export interface Crowd {
  readonly server: RealServer;
  readonly pods: number;
  /** Bytes in use that a pod with its container added. */
  readonly bytesPerPod: number;
  /** One of the containers. */
  readonly containerId: string;
}

/** One part of the bench, chosen with `--only NAME`. */
export interface Section {
  readonly name: string;
  readonly title: string;
  run(context: Context): Promise<readonly Figure[]>;
}

export const VERSION = '/runtime.v1.RuntimeService/Version';
/** Sixteen calls at once. */
export const SIXTEEN = { connections: 2, streams: 8 } as const;
