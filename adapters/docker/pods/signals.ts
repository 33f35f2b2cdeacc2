import { signalNumbers } from '../../../src/base/input/signal-numbers.js';
import { Signal } from '../../../src/cri/gen/runtime/v1/api.js';

/** Linux numbers of the real-time signals, as Docker counts them. */
const SIGRTMIN = 34;
const SIGRTMAX = 64;

/** Docker's form: `SIGTERM`, or the number of a real-time signal. */
export function dockerSignal(signal: Signal): string {
  const name = (Signal[signal] ?? '').replace(/^SIGNAL_/, '');
  const realTime = /^SIGRT(MIN|MAX)(?:(?:PLUS|MINUS)(\d+))?$/.exec(name);
  if (realTime === null) return name;
  const offset = Number(realTime[2] ?? 0);
  return String(realTime[1] === 'MIN' ? SIGRTMIN + offset : SIGRTMAX - offset);
}

/** Parses an image's signal (`SIGQUIT`, `QUIT`, `3`); undefined for one that the CRI does not know. */
export function parseSignal(text: string): Signal | undefined {
  const wanted = /^\d+$/.test(text)
    ? byNumber.get(Number(text))
    : text.toUpperCase().replace(/^(SIG)?/, 'SIG');
  const name = `SIGNAL_${wanted?.replace('+', 'PLUS').replace('-', 'MINUS')}`;
  return Signal[name as keyof typeof Signal];
}

const byNumber = new Map(Object.entries(signalNumbers).map(([name, number]) => [number, `SIG${name}`]));
