import { parseImageReference } from '../../../src/cri/image-reference.js';
import { commandNames } from '../../../src/linux/commands/index.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';
import { createRoots } from '../../../src/linux/fs/rootfs.js';
import { contentOf, isInCatalog, isShellImage, isWhole } from '../images/catalog.js';
import { type ContainerFacts, healthy } from './facts.js';
import { type Need, needOf, type Surroundings } from './needs.js';

export interface Decision {
  /** In the syntax of docs/containers.md, such as `exit=0,after=1s`; undefined when its own command runs. */
  readonly behavior: string | undefined;
  readonly does: string;
  readonly from: string;
  readonly field: 'command' | 'args' | 'image';
}

const TAKES = '1s';

const rootOf = createRoots(commandNames);

/**
 * Guesses a container's behavior: an image of the catalog behaves as known, and a fully simulated command runs.
 * Everything else is a healthy server that runs until it is stopped, so that nothing fails without a reason; only
 * containers that have to end do so.
 */
export function decide(facts: ContainerFacts): Decision {
  const { image, command, args } = facts;
  const reference = parseImageReference(image);
  const ofImage = { behavior: undefined, field: 'image' } as const;
  // The kubelet refuses such a name.
  if (reference === undefined)
    return { ...ofImage, does: 'gets no image', from: `image "${image}", which is not a valid name` };
  const content = contentOf(reference);
  const hasNoCommand = command.length === 0 && args.length === 0;
  const runsShell = hasNoCommand && (isShellImage(reference) || facts.isInteractive);
  if (runsShell && facts.isInteractive)
    return {
      ...ofImage,
      does: 'runs a shell, which waits for input',
      from: `image ${image}, with a terminal`,
    };
  if (runsShell)
    return {
      ...ofImage,
      does: 'exits immediately with 0: without a command its image runs a shell, which has no input',
      from: `image ${image}`,
    };
  const field = command.length > 0 ? 'command' : args.length > 0 ? 'args' : 'image';
  const line = lineOf(facts, content);
  if (command.length === 0 && !isInCatalog(reference))
    return { ...unknown(facts), from: `image ${image}, of which nothing is known`, field: 'image' };
  const need = needOf(line, surroundings(facts, content));
  if (need !== undefined && !(isWhole(reference) && !isGranted(need, facts)))
    return { ...unknown(facts), from: `its command: ${need.text}`, field };
  return {
    behavior: undefined,
    does: `runs its command: ${brief(line)}`,
    from: command.length > 0 ? 'its command, which is simulated' : `image ${image}, which is simulated`,
    field,
  };
}

/** Whether a command next to an unknown server, such as a probe or a hook, needs programs that only its image has. */
export const needsImage = (
  line: readonly string[],
  facts: ContainerFacts,
  content: ImageContent | undefined,
): boolean => needOf(line, { ...surroundings(facts, content), hasUnknownServer: true }) !== undefined;

/** Whether a real node meets this need. The network counts for init containers alone: they wait until it answers. */
const isGranted = ({ kind }: Need, { role, isPrivileged }: ContainerFacts): boolean =>
  kind === 'applet' || (kind === 'network' && role === 'init') || (kind === 'host' && isPrivileged);

function lineOf({ command, args }: ContainerFacts, content: ImageContent): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return [...(content.entrypoint ?? []), ...(args.length > 0 ? args : content.command)];
}

const surroundings = (facts: ContainerFacts, content: ImageContent | undefined): Surroundings => ({
  root: rootOf(content),
  programs: Object.keys(content?.programs ?? {}),
  mounts: facts.mounts,
  env: facts.env,
  hasHost: facts.hasHost ?? (() => false),
  hasUnknownServer: false,
});

function unknown({ role, hasToEnd, hasProbes, ports }: ContainerFacts): Pick<Decision, 'behavior' | 'does'> {
  const ends = { behavior: `exit=0,after=${TAKES}` };
  const words = `ends with exit code 0 after ${TAKES}`;
  if (role === 'init') return { ...ends, does: `${words}, as an init container must` };
  if (role === 'regular' && hasToEnd && !hasProbes)
    return { ...ends, does: `${words}, because its pod must end` };
  return {
    behavior: healthy(ports),
    does: `runs until it is stopped${hasProbes ? '; its probes succeed' : ''}`,
  };
}

const LONGEST = 60;

function brief(line: readonly string[]): string {
  const text = line.join(' ').replace(/\s+/g, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
