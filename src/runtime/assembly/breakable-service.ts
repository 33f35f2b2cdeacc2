import { statusOfBreak, statusOfDial, statusOfReset } from '../../cri/client/go-status.js';
import { StatusError } from '../../cri/errors.js';
import type { Layer } from '../../cri/layer.js';
import type { RestartableServer } from '../../cri/restartable-server.js';
import type { Call, CallTransport } from '../../cri/service.js';
import type { CallStatus } from '../../cri/status-code.js';
import { type Reply, type StreamWork, type UnaryWork, wrapService } from '../../cri/wrap-service.js';

/** A connection to a runtime that can break without a socket: `suspend` ends all calls and refuses new ones. */
export interface BreakableService extends RestartableServer {
  readonly layer: Layer;
}

const SOCKET = '/run/mockri/mockri.sock';

const failure = ({ code, details, unreached }: CallStatus): StatusError =>
  new StatusError(code, details, { unreached });

const refused = () => failure(statusOfDial(`dial unix ${SOCKET}: connect: no such file or directory`));

const broken = () => failure(statusOfBreak('EOF'));

export function createBreakableService(): BreakableService {
  let down = false;
  const underWay = new Set<BreakableCall>();
  const breakAll = () => {
    for (const call of underWay) call.cutOff(broken());
  };

  /** Work that returns synchronously can't be broken. */
  const unary = (work: UnaryWork, request: object, call: Call): ReturnType<UnaryWork> => {
    if (down) throw refused();
    const breakable = new BreakableCall(call, breakAll);
    const reply = work(request, breakable);
    if (!(reply instanceof Promise)) return reply;
    underWay.add(breakable);
    return breakable.orBreak(reply).finally(() => underWay.delete(breakable));
  };

  async function* stream(work: StreamWork, request: object, call: Call): AsyncGenerator<Reply> {
    const breakable = new BreakableCall(call, breakAll);
    underWay.add(breakable);
    try {
      if (down) throw refused();
      const messages = work(request, breakable)[Symbol.asyncIterator]();
      for (;;) {
        const next = await breakable.orBreak(messages.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      underWay.delete(breakable);
    }
  }

  return {
    layer: (below) =>
      wrapService(below, {
        unary: (_, work) => (request, call) => unary(work, request, call),
        stream: (_, work) => (request, call) => stream(work, request, call),
      }),
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

/** A call on a wire that breaks. All calls share one connection. */
class BreakableCall implements Call, CallTransport {
  readonly connection = 1;
  readonly peer = 'in-process';
  readonly #call: Call;
  readonly #breakAll: () => void;
  #broken: StatusError | undefined;
  #reject: (reason: StatusError) => void = () => {};

  constructor(call: Call, breakAll: () => void) {
    this.#call = call;
    this.#breakAll = breakAll;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get deadline(): bigint | undefined {
    return this.#call.deadline;
  }

  get transport(): CallTransport {
    return this.#call.transport ?? this;
  }

  /** Settles with the work; rejects as soon as the wire breaks. */
  orBreak<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#broken !== undefined) reject(this.#broken);
      work.then(resolve, reject);
    });
  }

  cutOff(reason: StatusError): void {
    this.#broken ??= reason;
    this.#reject(reason);
  }

  addTrailer(name: string, value: string | Buffer): void {
    this.#call.addTrailer?.(name, value);
  }

  reset(http2Code: number): boolean {
    this.cutOff(failure(statusOfReset(http2Code)));
    return true;
  }

  disconnect(): void {
    this.#breakAll();
  }
}
