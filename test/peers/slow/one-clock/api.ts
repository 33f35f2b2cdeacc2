// Requests to an API server that shares the virtual clock of this process.
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { VirtualClock } from '../../../../src/base/clock/virtual-clock.js';

/** Rows as the API server prints them for kubectl. */
const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The API server's address, and the client's identity. */
interface ApiOptions {
  readonly clock: VirtualClock;
  readonly port: string;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Api {
  /** Passes each line of the reply to `line`. Resolves with the status at its end. */
  ask(method: string, path: string, line?: (text: string) => void, body?: object): Promise<number>;
  /** Passes `textOf` of each changed row to `said`, until `close`. */
  watch(path: string, textOf: (cells: string[]) => string, said: (text: string) => void): void;
  /** Lets time pass until the work is settled, for a minute at most. */
  until<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function openApi({ clock, port, ...identity }: ApiOptions): Api {
  const agent = new Agent({ keepAlive: true, ...identity });
  const followed = new WeakSet<Socket>();
  let isClosed = false;
  // Bytes in transit on a connection hold the clock.
  const follow = (socket: Socket) => {
    if (!followed.has(socket)) clock.wires.follow(socket);
    followed.add(socket);
  };
  const ask: Api['ask'] = async (method, path, line = () => {}, body) => {
    const headers = { accept: ACCEPT, 'content-type': 'application/json' };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, agent, headers }, resolve);
      sent
        .on('socket', follow)
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });
    for await (const text of createInterface({ input: answer })) line(text);
    return answer.statusCode ?? 0;
  };
  return {
    ask,
    watch: (path, textOf, said) => {
      const last = new Map<string, string>();
      const take = (text: string) => {
        const { type, object } = JSON.parse(text);
        for (const { cells } of object.rows ?? []) {
          const shown = `${textOf(cells)}${type === 'DELETED' ? ' deleted' : ''}`;
          if (last.get(cells[0]) !== shown) said(shown);
          last.set(cells[0], shown);
        }
      };
      ask('GET', `${path}?watch=true`, take).catch((error) => {
        if (!isClosed) throw error;
      });
    },
    until: async (work) => {
      let isSettled = false;
      const settled = () => {
        isSettled = true;
      };
      work.then(settled, settled);
      await clock.runUntil(() => isSettled, 60_000);
      if (!isSettled) throw new Error('no answer within a virtual minute');
      return work;
    },
    close: () => {
      isClosed = true;
      agent.destroy();
    },
  };
}
