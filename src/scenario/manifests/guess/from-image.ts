import { contentOf, hasPrograms } from '../../../../adapters/memory/images/catalog.js';
import { parseImageReference } from '../../../cri/image-reference.js';
import type { ContainerSpec } from '../../../kubernetes/container.js';
import { commandNames } from '../../../linux/commands/index.js';
import { commandsOf, programOf } from './command-names.js';
import type { ContainerRole, Guess } from './guess.js';
import { probeParts } from './probes.js';

/** Images of which everyone knows that they run a shell when they are given no command. */
const SHELL_IMAGES =
  /(^|\/)(busybox|alpine|debian|ubuntu|bash|centos|fedora|rockylinux|almalinux|amazonlinux|ubi\d*(-minimal)?)([:@]|$)/;

/** How long an init container takes of which nothing is known. */
const INIT_TAKES = '1s';

const SHELLS = new Set(['sh', 'ash', 'bash']);

/** Builtins of the shell that a script may use. */
const BUILTINS = new Set(
  `: . [ alias bg break cd continue eval exec exit export false fg getopts hash jobs local printf read readonly return
  set shift source times trap true type ulimit umask unalias unset wait`.split(/\s+/),
);

/**
 * What a container does, from its image and its command: what is simulated runs; of the rest nothing is known, and it runs
 * until it is stopped, so that it never ends without a reason. An init container has to end.
 */
export function guessFromImage(spec: ContainerSpec, role: ContainerRole): Guess {
  const { image, command, args } = spec;
  const guess = { container: spec.name, path: [command.length > 0 ? 'command' : 'image'] };
  const reference = parseImageReference(image);
  // The kubelet refuses such a name.
  if (reference === undefined)
    return {
      ...guess,
      behavior: undefined,
      does: 'gets no image',
      from: `image "${image}", which is no name`,
    };
  const content = contentOf(reference);
  const own = [...(content.entrypoint ?? []), ...(args.length > 0 ? args : content.command)];
  const line = command.length > 0 ? [...command, ...args] : own;
  const isShellImage = SHELL_IMAGES.test(image);
  if (command.length === 0 && args.length === 0 && isShellImage)
    return {
      ...guess,
      behavior: undefined,
      does: 'ends at once with 0: without a command its image runs a shell, which has no input',
      from: `image ${image}`,
    };
  const isKnown = command.length > 0 || isShellImage || hasPrograms(reference);
  const missing = isKnown ? missingIn(line, Object.keys(content.programs)) : undefined;
  if (isKnown && missing === undefined)
    return {
      ...guess,
      behavior: undefined,
      does: `runs its command: ${brief(line)}`,
      from: command.length > 0 ? 'its command, which is simulated' : `image ${image}, which is simulated`,
    };
  const why = isKnown
    ? `its command: ${missing} is not simulated`
    : `image ${image}, of which nothing is known`;
  if (role === 'init')
    return {
      ...guess,
      behavior: `exit=0,after=${INIT_TAKES}`,
      does: `ends with exit code 0 after ${INIT_TAKES}, as an init container must`,
      from: why,
    };
  const parts = probeParts(spec, { ready: true, started: true });
  const probes = spec.livenessProbe ?? spec.readinessProbe ?? spec.startupProbe;
  return {
    ...guess,
    behavior: ['run', ...parts].join(','),
    does: `runs until it is stopped${probes === undefined ? '' : '; its probes succeed'}`,
    from: why,
  };
}

/** A program of a command line that is not simulated; undefined when all are. */
function missingIn(line: readonly string[], programs: readonly string[]): string | undefined {
  const [shell = '', ...rest] = line;
  const script = scriptOf(shell, rest);
  if (script === undefined) {
    const name = programOf(line) ?? '';
    return isSimulated(name, programs) ? undefined : name;
  }
  try {
    return commandsOf(script).find((name) => !isSimulated(name, programs) && !BUILTINS.has(name));
  } catch {
    // A real shell says what is wrong with it, and the simulated one as well.
    return undefined;
  }
}

/** The script of `sh -c SCRIPT`; of `sh FILE` nothing is known. */
function scriptOf(shell: string, rest: readonly string[]): string | undefined {
  if (!SHELLS.has(baseName(shell))) return undefined;
  const option = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  return option < 0 ? rest[0] : rest[option + 1];
}

/** A program of the image, or a command, which may be given with the path where images have it. */
function isSimulated(name: string, programs: readonly string[]): boolean {
  if (programs.some((path) => path === name || (!name.includes('/') && baseName(path) === name))) return true;
  return /^(\/usr)?(\/local)?\/s?bin\/[^/]+$|^[^/]+$/.test(name) && commandNames.includes(baseName(name));
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const LONGEST = 60;

function brief(line: readonly string[]): string {
  const text = line.join(' ').replace(/\s+/g, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
