import type { Duplex } from 'node:stream';
import { sinkOf, sourceOf } from '../../process/node-streams.js';
import type { ByteSink, ByteSource, ExitStatus, Process, Program } from '../../process/process.js';
import { getopt, type Options } from '../kit/getopt.js';
import { complain, DONE, failWith, waitFor } from '../kit/io.js';
import { programOf } from '../kit/run-other.js';
import type { CommandTable, Programs } from '../programs.js';
import { openConnection, TimedOut } from './connect.js';
import { addressOf, connectionProblem } from './names.js';

/** `-l -p PORT` (repeatedly with -ll), `HOST PORT`, both with `-e PROGRAM`; -z only tries. OpenBSD's -q and -N. */
const nc =
  (programs: Programs): Program =>
  async (process) => {
    const args = process.argv.slice(1);
    const at = args.indexOf('-e');
    const command = at < 0 ? [] : args.slice(at + 1);
    const options = getopt(at < 0 ? args : args.slice(0, at), 'lkzvnuN46p:q:w:i:s:');
    const serve = async (connection: Duplex) => {
      const quit = options.value('q');
      if (command.length === 0)
        return exchange(process, connection, quit === undefined ? undefined : Number(quit) * 1000);
      const program = await programOf(programs, process, command);
      const streams = { stdin: sourceOf(connection, process.clock), stdout: sinkOf(connection) };
      await waitFor(process, process.spawn({ argv: command, program, ...streams }).exit);
      connection.end();
    };
    return options.has('l') ? listen(process, options, serve) : dial(process, options, serve);
  };

type Serve = (connection: Duplex) => Promise<void>;

async function listen(process: Process, options: Options, serve: Serve): Promise<ExitStatus> {
  const port = Number(options.value('p') ?? options.operands.at(-1));
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return failWith(process, `bad port '${options.value('p')}'`);
  const waiting: Duplex[] = [];
  let wake = () => {};
  const listener = await process
    .listen(port, (connection) => {
      waiting.push(connection);
      wake();
    })
    .catch((error: unknown) => complain(process, `bind: ${connectionProblem(error)}`));
  if (!listener) return { code: 1 };
  do {
    while (waiting.length === 0)
      await waitFor(
        process,
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      );
    const connection = waiting.shift();
    if (connection) await serve(connection);
  } while (options.has('k') || process.argv.includes('-ll'));
  await listener.close();
  return DONE;
}

async function dial(process: Process, options: Options, serve: Serve): Promise<ExitStatus> {
  const [host = '', port = ''] = options.operands;
  const address = await addressOf(process, host);
  if (address === undefined) return failWith(process, `bad address '${host}'`);
  const limit = options.value('w');
  try {
    const socket = await openConnection(
      process,
      address,
      Number(port),
      limit ? Number(limit) * 1000 : undefined,
    );
    if (options.has('v')) await process.stderr.write(Buffer.from(`${host} (${address}:${port}) open\n`));
    if (!options.has('z')) await serve(socket);
    socket.destroy();
    return DONE;
  } catch (error) {
    process.killed.throwIfAborted();
    if (error instanceof TimedOut) return failWith(process, 'timed out');
    if (options.has('z') && !options.has('v')) return { code: 1 };
    return failWith(process, `can't connect to remote host (${address}): ${connectionProblem(error)}`);
  }
}

/** Copies in both directions until the peer closes, or for the given ms after the end of the input. */
async function exchange(process: Process, connection: Duplex, quitAfter?: number): Promise<void> {
  const remote = sinkOf(connection);
  void process.clock
    .run(async () => {
      await copy(process.stdin, remote);
      connection.end();
      if (quitAfter !== undefined && quitAfter >= 0)
        process.clock.setTimer(quitAfter, () => void connection.destroy());
    })
    .catch(() => connection.destroy());
  await copy(sourceOf(connection, process.clock), process.stdout);
  connection.end();
}

async function copy(from: ByteSource, to: ByteSink): Promise<void> {
  for (let chunk = await from.read(); chunk !== null; chunk = await from.read()) await to.write(chunk);
}

/** busybox's nc under both of its names; -e finds its program in `programs`. */
export const ncCommands = (programs: Programs): CommandTable => ({ nc: nc(programs), netcat: nc(programs) });
