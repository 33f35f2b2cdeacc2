import type { ProcessGroup, SignalName } from './process.js';

interface Member {
  readonly pid: number;
  readonly hostPid: number;
  belongsTo(group: ProcessGroup): boolean;
  signal(signal: SignalName): void;
}

/** The group of a process and of those that join it (setpgid(2)). */
export class Group implements ProcessGroup {
  readonly leader: Member;
  readonly #table: { list(): Iterable<Member> };

  constructor(leader: Member, table: { list(): Iterable<Member> }) {
    this.leader = leader;
    this.#table = table;
  }

  get id(): number {
    return this.leader.pid;
  }

  signal(signal: SignalName): void {
    for (const process of this.#table.list()) if (process.belongsTo(this)) process.signal(signal);
  }
}
