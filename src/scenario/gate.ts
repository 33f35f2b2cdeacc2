import { StatusError } from '../cri/errors.js';
import {
  type Call,
  type CallTransport,
  type CriMethodName,
  type CriService,
  criMethods,
} from '../cri/service.js';
import { statusOfBreak, statusOfDial, statusOfReset, type WireStatus } from '../cri/wire/status.js';

/** The way to a runtime, which can be cut: what a socket is for a server, in one process. */
export interface Gate {
  readonly service: CriService;
  /** Breaks every call and stream under way, and refuses new ones, as if nobody listened at the socket. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  readonly connections: {
    /** Breaks every call and stream under way. */
    disconnectAll(how: 'reset' | 'goaway'): void;
  };
}

/** Where the runtime would listen, for the texts of errors. */
const SOCKET = '/run/mockri/mockri.sock';

const failure = ({ code, details }: WireStatus): StatusError => new StatusError(code, details);

const refused = () => failure(statusOfDial(`dial unix ${SOCKET}: connect: no such file or directory`));

const broken = () => failure(statusOfBreak('EOF'));

type Handler = (request: unknown, call: Call) => unknown;

/** What breaks a call under way. */
type Break = (reason: StatusError) => void;

/** `called` is told every RPC that is tried. */
export function createGate(service: CriService, called: (rpc: string) => void): Gate {
  let down = false;
  const underWay = new Set<Break>();
  const breakAll = () => {
    for (const cutOff of underWay) cutOff(broken());
  };

  /** Calls `work` with a wire that breaks; rejects as soon as it does. */
  const carry = (call: Call) => {
    let cutOff: Break = () => {};
    const broke = new Promise<never>((_, reject) => {
      cutOff = reject;
    });
    broke.catch(() => {});
    underWay.add(cutOff);
    const transport = transportOf(cutOff, breakAll);
    return {
      call: call.transport === undefined ? { ...call, transport } : call,
      orBreak: <T>(work: Promise<T> | T): Promise<T> => Promise.race([work, broke]),
      end: () => underWay.delete(cutOff),
    };
  };

  const unary = (handler: Handler) => async (request: unknown, call: Call) => {
    if (down) throw refused();
    const wire = carry(call);
    try {
      return await wire.orBreak(handler(request, wire.call));
    } finally {
      wire.end();
    }
  };

  const stream = (handler: Handler) =>
    async function* (request: unknown, call: Call) {
      if (down) throw refused();
      const wire = carry(call);
      try {
        const messages = (handler(request, wire.call) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        for (;;) {
          const next = await wire.orBreak(messages.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        wire.end();
      }
    };

  const names = Object.keys(service) as CriMethodName[];
  const wrapped = names.map((name) => {
    const handler = service[name] as Handler;
    const through = criMethods[name].responseStream ? stream(handler) : unary(handler);
    const rpc = name.charAt(0).toUpperCase() + name.slice(1);
    const entry = (request: unknown, call: Call) => {
      called(rpc);
      return through(request, call);
    };
    return [name, entry];
  });
  return {
    service: Object.fromEntries(wrapped) as CriService,
    suspend: async () => {
      down = true;
      breakAll();
    },
    resume: async () => {
      down = false;
    },
    connections: { disconnectAll: breakAll },
  };
}

/** A call's wire where there is none: all calls are on one connection. */
function transportOf(cutOff: Break, breakAll: () => void): CallTransport {
  return {
    connection: 1,
    peer: 'in-process',
    addTrailer: () => {},
    reset: (http2Code) => {
      cutOff(failure(statusOfReset(http2Code)));
      return true;
    },
    disconnect: breakAll,
  };
}
