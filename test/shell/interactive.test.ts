import { describe, expect, it } from 'vitest';
import { createPipe, type Pipe } from '../../src/linux/process/pipe.js';
import { createTerminal } from '../../src/linux/process/terminal.js';
import { sendSignal } from '../support/linux/send-signal.js';
import {
  createBusyContainer,
  type TestContainer,
  type TestProcess,
} from '../support/linux/shell-container.js';

interface Session {
  readonly container: TestContainer;
  readonly shell: TestProcess;
  readonly keys: Pipe;
  /** Types text, runs its effects without advancing time, and returns the new screen content. */
  type(text: string): Promise<string>;
  /** Screen content since the last input. */
  screen(): string;
}

async function openSession(uid = 0, env: Record<string, string> = {}): Promise<Session> {
  const container = await createBusyContainer();
  const { clock } = container;
  const keys = createPipe(clock);
  let shown = '';
  const write = async (chunk: Buffer) => {
    shown += chunk.toString();
  };
  const { terminal, stdin, stdout } = createTerminal({
    clock,
    stdin: keys,
    stdout: { write, end: () => {} },
  });
  const shell = await container.start(['sh'], { stdin, stdout, tty: terminal, uid, env });
  const type = async (text: string) => {
    await clock.settle();
    shown = '';
    await keys.write(Buffer.from(text));
    await clock.settle();
    return shown;
  };
  return { container, shell, keys, type, screen: () => shown };
}

const PROMPT = '/work # ';

describe('interactive shell', () => {
  it('prompts root and others according to PS1', async () => {
    expect(await (await openSession()).type('\r')).toBe(`\r\n${PROMPT}`);
    expect(await (await openSession(1000)).type('cd /\r')).toBe('cd /\r\n/ $ ');
    const { type } = await openSession(0, { PS1: '\\u@\\h:\\w\\$ ' });
    expect(await type('\r')).toBe('\r\nroot@web-0:/work# ');
  });

  it('runs a line when it is complete', async () => {
    const { type } = await openSession();
    expect(await type('echo hi\r')).toBe(`echo hi\r\nhi\r\n${PROMPT}`);
    expect(await type('for i in 1 2; do\r')).toBe('for i in 1 2; do\r\n> ');
    expect(await type('echo $i; done\r')).toBe(`echo $i; done\r\n1\r\n2\r\n${PROMPT}`);
    expect(await type('cat <<E\r')).toBe('cat <<E\r\n> ');
    expect(await type('x\rE\r')).toBe(`x\r\n> E\r\nx\r\n${PROMPT}`);
    expect(await type('echo a \\\r')).toBe('echo a \\\r\n> ');
    expect(await type('b\r')).toBe(`b\r\na b\r\n${PROMPT}`);
  });

  it('continues after errors that end a script', async () => {
    const { type } = await openSession();
    expect(await type('nonexistent\r')).toContain('\r\nsh: nonexistent: not found\r\n');
    expect(await type('fi\r')).toContain('\r\nsh: syntax error: unexpected "fi"\r\n');
    expect(await type(`$\{x:?}\r`)).toContain('\r\nsh: x: parameter not set or null\r\n');
    expect(await type('shift 1 2 x; set -Z\r')).toContain('\r\nsh: set: illegal option -Z\r\n');
    expect(await type('echo $?\r')).toBe(`echo $?\r\n2\r\n${PROMPT}`);
    expect(await type('return 4\r')).toBe(`return 4\r\n${PROMPT}`);
    expect(await type('echo $?\r')).toBe(`echo $?\r\n4\r\n${PROMPT}`);
  });

  it('discards the line at Ctrl-C', async () => {
    const { type } = await openSession();
    expect(await type('echo no\x03')).toBe(`echo no^C\r\n${PROMPT}`);
    await type('if true\r');
    expect(await type('\x03')).toBe(`^C\r\n${PROMPT}`);
    expect(await type('echo $?\r')).toBe(`echo $?\r\n130\r\n${PROMPT}`);
  });

  it('interrupts only the foreground command at Ctrl-C', async () => {
    const { type, shell } = await openSession();
    expect(await type('sleep 100 | cat\r')).toBe('sleep 100 | cat\r\n');
    expect(await type('\x03')).toBe(`^C\r\n${PROMPT}`);
    expect(await type('sleep 7 & sleep 100; echo no\r')).toBe('sleep 7 & sleep 100; echo no\r\n');
    await type('\x03');
    expect(await type('jobs\r')).toContain('[1]+  Running                    sleep 7\r\n');
    expect(shell.process.killed.aborted).toBe(false);
  });

  it('leaves a loop of builtins at Ctrl-C', async () => {
    const { container, type } = await openSession();
    await container.clock.settle();
    const typed = type('while :; do :; done\r');
    await container.clock.advance(20);
    await typed;
    const interrupted = type('\x03');
    await container.clock.advance(10);
    expect(await interrupted).toBe(`^C\r\n${PROMPT}`);
  });

  it('survives TERM and QUIT, unlike its jobs', async () => {
    const { container, type, shell } = await openSession();
    sendSignal(container.processes, shell.process.pid, 'TERM');
    sendSignal(container.processes, shell.process.pid, 'QUIT');
    expect(await type('\x1c\x1a')).toBe('');
    expect(await type('sleep 100 &\r')).toBe(`sleep 100 &\r\n${PROMPT}`);
    expect(await type('kill %1\r')).toBe(
      `kill %1\r\n[1]+  Terminated                 sleep 100\r\n${PROMPT}`,
    );
  });

  it('reports completed jobs', async () => {
    const { container, type } = await openSession();
    await type('sleep 1 &\r');
    await container.clock.advance(1500);
    expect(await type('\r')).toBe(`\r\n[1]+  Done                       sleep 1\r\n${PROMPT}`);
  });

  it('runs traps while it waits for input', async () => {
    const { container, shell, screen, type } = await openSession();
    await type("trap 'echo caught' USR1\r");
    sendSignal(container.processes, shell.process.pid, 'USR1');
    await container.clock.settle();
    expect(screen()).toMatch(/caught\r\n/);
  });

  it('passes the terminal to its commands', async () => {
    const { type } = await openSession();
    expect(await type('[ -t 0 ] && [ -t 1 ] && echo tty\r')).toContain('\r\ntty\r\n');
    expect(await type('echo a | { [ -t 0 ] || echo pipe; }\r')).toContain('\r\npipe\r\n');
    expect(await type('cat\r')).toBe('cat\r\n');
    expect(await type('line\r')).toBe('line\r\nline\r\n');
    expect(await type('\x04')).toBe(PROMPT);
    expect(await type('sh -c "echo inner"\r')).toContain('\r\ninner\r\n');
    expect(await type('echo "echo piped" | sh\r')).toBe(`echo "echo piped" | sh\r\npiped\r\n${PROMPT}`);
  });

  it('edits lines with the keys of a line editor', async () => {
    const { type } = await openSession();
    const left = '\x1b[D';
    expect(await type(`echo ac${left}b\r`)).toContain(`\r\nabc\r\n${PROMPT}`);
    expect(await type(`cho x\x01e\r`)).toContain(`\r\nx\r\n${PROMPT}`);
    expect(await type('\x1b[A\r')).toBe(`\x1b[Jecho x\r\nx\r\n${PROMPT}`);
    expect(await type('\x1b[A\x1b[A\r')).toContain(`echo abc\r\nabc\r\n${PROMPT}`);
    expect(await type('\x1b[A\x15\r')).toContain(`\r\n${PROMPT}`);
  });

  it('passes whole lines to programs and read, and the rest to the next line', async () => {
    const { type } = await openSession();
    expect(await type('read x\r')).toBe('read x\r\n');
    expect(await type('ab\x7fc\x1b[D\r')).toBe('ab\b \bc^[[D\r\n/work # ');
    expect(await type('echo $' + '{#x}\r')).toContain('\r\n5\r\n');
    expect(await type('read x\rtyped ahead\recho "$x"\r')).toBe(
      `read x\r\n${PROMPT}echo "$x"\r\ntyped ahead\r\n${PROMPT}`,
    );
  });

  it('keeps input typed while a trap runs', async () => {
    const { container, shell, screen, type } = await openSession();
    await type("trap 'echo caught' USR1\r");
    await type('echo ke');
    sendSignal(container.processes, shell.process.pid, 'USR1');
    await container.clock.settle();
    expect(screen()).toBe(`echo kecaught\r\n${PROMPT}echo ke`);
    expect(await type('pt\r')).toContain('\r\nkept\r\n');
  });

  it('ignores Ctrl-C if INT is ignored', async () => {
    const { type } = await openSession();
    await type("trap '' INT\r");
    expect(await type('echo no\x03')).toBe(`echo no^C\r\n${PROMPT}`);
    expect(await type('echo $?\r')).toContain('\r\n0\r\n');
  });

  it('ends with exit, Ctrl-D and the client’s disconnect', async () => {
    const left = await openSession();
    await left.type('exit 3\r');
    expect(await left.shell.end()).toMatchObject({ code: 3 });
    const ended = await openSession();
    await ended.type('false\r');
    await ended.type('\x04');
    expect(await ended.shell.end()).toMatchObject({ code: 1 });
    const gone = await openSession();
    gone.keys.end();
    expect(await gone.shell.end()).toMatchObject({ code: 0 });
  });
});
