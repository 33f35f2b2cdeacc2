import type { Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { catchSignals, failWith, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';
import { isCapable } from '../system/kernel.js';
import { addressOf } from './names.js';

/** In ms: a flood also takes time. */
const LEAST_INTERVAL = 2;

interface Round {
  readonly host: string;
  readonly address: string;
  readonly count: number;
  /** In ms, between two packets. */
  readonly interval: number;
  /** Time to wait for a reply, in ms. */
  readonly patience: number;
  readonly size: number;
}

/** Sends echo requests in busybox's way: a raw socket requires NET_RAW, and only pods and the node reply. */
const ping: Program = async (process) => {
  const options = getopt(process.argv.slice(1), '46c:i:W:w:s:qnI:t:A');
  const [host] = options.operands;
  if (host === undefined) return failWith(process, 'missing operand');
  const address = await addressOf(process, host);
  if (address === undefined) return failWith(process, `bad address '${host}'`);
  const size = Number(options.value('s') ?? 56);
  await print(process, `PING ${host} (${address}): ${size} data bytes\n`);
  if (!isCapable(process, 'NET_RAW')) return failWith(process, 'permission denied (are you root?)');
  const interval = Math.max(LEAST_INTERVAL, Number(options.value('i') ?? 1) * 1000);
  const patience = Number(options.value('W') ?? 10) * 1000;
  const limit = options.value('w');
  const count = Number(options.value('c') ?? (limit ? Math.ceil(Number(limit)) : Number.POSITIVE_INFINITY));
  if ([size, interval, patience, count].some(Number.isNaN)) return failWith(process, 'invalid number');
  return send(process, { host, address, count, interval, patience, size });
};

async function send(process: Process, round: Round) {
  const answers = process.container.reaches(round.address);
  let sent = 0;
  let interrupted = false;
  const stop = new AbortController();
  void catchSignals(process, ['INT']).then(() => {
    interrupted = true;
    stop.abort();
  });
  const pause = (delay: number) =>
    process.clock.sleep(delay, AbortSignal.any([stop.signal, process.killed])).catch(() => {
      process.killed.throwIfAborted();
    });
  while (sent < round.count && !interrupted) {
    const line = `${round.size + 8} bytes from ${round.address}: seq=${sent} ttl=64 time=0.050 ms\n`;
    sent++;
    if (answers) await print(process, line);
    if (sent < round.count) await pause(round.interval);
    else if (!answers) await pause(round.patience);
  }
  await report(process, round.host, sent, answers ? sent : 0);
  return { code: answers ? 0 : 1 };
}

async function report(process: Process, host: string, sent: number, received: number): Promise<void> {
  const loss = sent === 0 ? 0 : Math.round(((sent - received) * 100) / sent);
  const times = received > 0 ? 'round-trip min/avg/max = 0.050/0.050/0.050 ms\n' : '';
  await print(
    process,
    `\n--- ${host} ping statistics ---\n${sent} packets transmitted, ${received} packets received, ${loss}% packet loss\n${times}`,
  );
}

/** Sends no packets: the simulation knows which hosts exist. */
export const networkPingCommands: CommandTable = { ping };
