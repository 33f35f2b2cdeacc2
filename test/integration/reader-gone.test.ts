import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { commandLine } from '../support/program.js';

test.each([[['simulate', '--list']], [['simulate', 'crash-loop-back-off', '--output', 'timeline']]])(
  '%j ends without an error when nobody reads on, as before `| head`',
  async (args) => {
    const child = spawn(process.execPath, commandLine(...args));
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, said }).toEqual({ code: 0, said: '' });
  },
);
