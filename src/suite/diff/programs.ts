/** A container's program, and the state that the next call waits for: both runtimes are compared at rest. */
export interface Program {
  readonly command: readonly string[];
  /** `exit`: it exits immediately. `armed`: it creates /armed once its signal handler is set. */
  readonly settles?: 'exit' | 'armed';
}

const LOOP = 'touch /armed; while true; do sleep 0.05; done';

/** Programs by their names in reports. */
export const programs = {
  sleeps: { command: ['sleep', '100000'] },
  'exits with 0': { command: ['true'], settles: 'exit' },
  'exits with 3': { command: ['sh', '-c', 'exit 3'], settles: 'exit' },
  'is killed': { command: ['sh', '-c', 'sh -c "kill -9 \\$\\$"; exit $?'], settles: 'exit' },
  'ends on TERM': { command: ['sh', '-c', `trap 'exit 5' TERM; ${LOOP}`], settles: 'armed' },
  'ignores TERM': { command: ['sh', '-c', `trap '' TERM; ${LOOP}`], settles: 'armed' },
  'does not exist': { command: ['/no/such/program'] },
  'is a directory': { command: ['/tmp'] },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

export const programNames = Object.keys(programs) as readonly ProgramName[];
