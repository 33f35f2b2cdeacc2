import type { Dice, Surface } from './surface.js';

const BATCH = 40;

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's. */
const words = [
  'echo',
  'cat',
  'sort',
  'head -c 1000',
  'wc',
  'tr a b',
  'sed s/a/b/',
  "awk '{print $1}'",
  'grep -E "(a+)+$"',
  'xargs',
  '/dev/zero',
  '/dev/urandom',
  '/proc/self/fd',
  '/proc/1/root/../../..',
  '/../../etc/passwd',
  '$((',
  '$(',
  '`',
  '${x##*}',
  '${x//a/b}',
  '"',
  "'",
  '|',
  '||',
  '&&',
  ';',
  '&',
  '(',
  ')',
  '{',
  '}',
  'if true; then',
  'fi',
  'while',
  'do',
  'done',
  'case x in',
  'esac',
  '<',
  '>',
  '>>',
  '<<E',
  '2>&1',
  '\\',
  '*',
  '/*/../*',
  '[',
  '[[',
  ']]',
  'x=1',
  '$x',
  '$@',
  '$?',
  'f() {',
  'f',
  ':',
  'exit',
  'trap : 0',
  'kill -9 $$',
  'wait',
  'read x',
  'printf %9999d 1',
  'seq 1000',
  'yes',
  'dd if=/dev/zero bs=1M',
  'tail -f /dev/null',
  'cp -r / /tmp',
  'rm -rf /',
  'mkdir -p a/b/c',
  'ln -s . loop',
  'find /',
  'tar c /',
  'base64 /dev/zero',
  'set -x',
  'eval',
  'exec',
  'ulimit -a',
  '9999999999999999999',
  '$((1/0))',
  '$((2**63))',
  '\u0000',
  '\ud7ff',
  '\u202e',
] as const;
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's. */

const endless = [
  ':(){ :|:& };:',
  'while :; do :; done',
  'cat /dev/zero | sort',
  'x=a; while :; do x=$x$x; done',
  'yes | sort',
  'cmp /dev/zero /dev/zero',
  'find / -exec find / \\;',
  'f() { f; }; f',
  'while :; do (sleep 1 &); done',
  'dd if=/dev/zero of=/tmp/f bs=1M',
] as const;

/** Random scripts, and endless ones, in containers that the engine then removes. */
export const shellSurface: Surface = {
  name: 'shell',
  open: async (victim, dice) => {
    const { cri } = victim;
    let containerId = '';
    return {
      batch: async () => {
        containerId = await victim.container('sleep 100000');
        const run = (script: string) =>
          cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 1n }).catch(() => {});
        const scripts = Array.from({ length: BATCH }, () => script(dice));
        // Most of these end immediately. An endless one runs for a second, with other endless ones only.
        if (dice.below(4) === 0) scripts.push(dice.of(endless));
        await Promise.all(scripts.map(run));
        await cri.removeContainer({ containerId });
        return scripts.length;
      },
      close: () => {},
    };
  },
};

const script = (dice: Dice): string =>
  Array.from({ length: 1 + dice.below(12) }, () => dice.of(words)).join(dice.of([' ', ' ', ' ', '\n', '']));
