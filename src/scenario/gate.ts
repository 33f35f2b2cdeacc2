import { CallError } from '../cri/in-process-client.js';
import { type Call, type CriMethodName, type CriService, criMethods } from '../cri/service.js';

/** The way to a runtime, which can be cut. */
export interface Gate {
  readonly service: CriService;
  /** Breaks every call and stream under way, and refuses new ones, as if nobody listened at the socket. */
  cut(): void;
  mend(): void;
}

const UNAVAILABLE = 14;

type Handler = (request: unknown, call: Call) => unknown;

/** `called` is told every RPC that is tried. */
export function createGate(service: CriService, called: (rpc: string) => void): Gate {
  let down = false;
  const underWay = new Set<() => void>();
  const refused = () => new CallError(UNAVAILABLE, 'connection error: connect: connection refused');

  /** Runs a call that fails at once when the way is cut. */
  const breakable = async <T>(work: Promise<T> | T): Promise<T> => {
    let cutOff = () => {};
    const broke = new Promise<never>((_, reject) => {
      cutOff = () => reject(new CallError(UNAVAILABLE, 'error reading from server: EOF'));
    });
    underWay.add(cutOff);
    try {
      return await Promise.race([work, broke]);
    } finally {
      underWay.delete(cutOff);
    }
  };

  const unary = (handler: Handler) => async (request: unknown, call: Call) => {
    if (down) throw refused();
    return breakable(handler(request, call));
  };

  const stream = (handler: Handler) =>
    async function* (request: unknown, call: Call) {
      if (down) throw refused();
      const messages = (handler(request, call) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
      for (;;) {
        const next = await breakable(messages.next());
        if (next.done === true) return;
        yield next.value;
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
    cut: () => {
      down = true;
      for (const cutOff of underWay) cutOff();
    },
    mend: () => {
      down = false;
    },
  };
}
