import type { HostProcess } from './host-process.js';
import { emptySource, nullSink } from './pipe.js';
import type { ProcessGroup, SeenProcess } from './process.js';

export class HostView implements SeenProcess {
  readonly #process: HostProcess;

  constructor(process: HostProcess) {
    this.#process = process;
  }

  get pid() {
    return this.#process.hostPid;
  }

  get ppid() {
    return this.#process.hostParent;
  }

  get group(): ProcessGroup {
    const { group, hostGroup: id } = this.#process;
    return { id, signal: (signal) => group.signal(signal) };
  }

  get argv() {
    return this.#process.argv;
  }

  get env() {
    return this.#process.env;
  }

  get cwd() {
    return this.#process.cwd;
  }

  get user() {
    return this.#process.user;
  }

  get stdin() {
    return this.#process.stdin;
  }

  get stdout() {
    return this.#process.stdout;
  }

  get stderr() {
    return this.#process.stderr;
  }

  get tty() {
    return this.#process.tty;
  }

  get container() {
    return this.#process.container;
  }

  get files() {
    return this.#process.files;
  }
}

type Facts = Pick<HostProcess, 'hostPid' | 'argv' | 'user' | 'container' | 'signal'>;

/** PID 1 of a namespace without a program; `facts` set its reaction to signals. */
export function bareInit(facts: Facts): HostProcess {
  const { hostPid, signal } = facts;
  return {
    ...facts,
    pid: 1,
    ppid: 0,
    hostParent: hostPid === 1 ? 0 : 1,
    hostGroup: hostPid,
    group: { id: 1, signal: (name) => signal(name, 'inside') },
    env: new Map(),
    cwd: '/',
    stdin: emptySource,
    stdout: nullSink,
    stderr: nullSink,
    tty: undefined,
    files: undefined,
  };
}
