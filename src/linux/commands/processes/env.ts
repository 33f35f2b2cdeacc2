import type { Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { DONE, failWith, print, waitFor } from '../kit/io.js';
import { become, programOf } from '../kit/run-other.js';
import { command } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';

const env =
  (programs: Programs): Program =>
  async (process) => {
    const long = { 'ignore-environment': 'i', unset: 'u' };
    const options = getopt(process.argv.slice(1), 'iu:0', { long, stopAtOperand: true });
    const isBare = options.operands[0] === '-';
    const operands = options.operands.slice(isBare ? 1 : 0);
    const variables = new Map(options.has('i') || isBare ? [] : process.env);
    for (const name of options.values('u')) variables.delete(name);
    const command = operands.findIndex((operand) => !operand.includes('='));
    for (const assignment of command < 0 ? operands : operands.slice(0, command)) {
      const [name = '', ...value] = assignment.split('=');
      variables.set(name, value.join('='));
    }
    if (command >= 0) return become(programs, process, operands.slice(command), variables);
    const end = options.has('0') ? '\0' : '\n';
    await print(process, [...variables].map(([name, value]) => `${name}=${value}${end}`).join(''));
    return DONE;
  };

const printenv = command({ isRaw: true }, async (tool) => {
  const { env: variables } = tool.process;
  const all = [...variables].map(([name, value]) => `${name}=${value}`);
  const values = tool.args.flatMap((name) => variables.get(name) ?? []);
  await tool.print((tool.args.length === 0 ? all : values).map((line) => `${line}\n`).join(''));
  return values.length === tool.args.length ? 0 : 1;
});

const nohup =
  (programs: Programs): Program =>
  async (process) => {
    if (process.argv.length < 2) return failWith(process, 'missing operand', 127);
    process.onSignal('HUP', 'ignore');
    return become(programs, process, process.argv.slice(1));
  };

/** Priorities have no effect in the simulation. */
const nice =
  (programs: Programs): Program =>
  async (process) => {
    const { operands } = getopt(process.argv.slice(1), 'n:', { stopAtOperand: true });
    if (operands.length > 0) return become(programs, process, operands);
    await print(process, '0\n');
    return DONE;
  };

const setsid =
  (programs: Programs): Program =>
  async (process) => {
    const argv = process.argv.slice(1);
    const program = await programOf(programs, process, argv);
    return waitFor(process, process.spawn({ argv, program, group: 'new' }).exit);
  };

/** These commands run another command in a changed environment; they find it in `programs`. */
export const processEnvCommands = (programs: Programs): CommandTable => ({
  env: env(programs),
  printenv,
  nohup: nohup(programs),
  nice: nice(programs),
  setsid: setsid(programs),
});
