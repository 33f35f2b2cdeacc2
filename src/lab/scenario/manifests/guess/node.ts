import { ASSUMED_USER, isInCatalog } from '../../../../../adapters/memory/images/catalog.js';
import { parseImageReference } from '../../../../cri/image-reference.js';
import type { ContainerSpec } from '../../../../kubelet/kubernetes/container.js';
import type { PodSpec } from '../../../../kubelet/kubernetes/pod.js';

/** Something assumed about the node, because the pod's real node has it. */
export interface NodeGuess {
  /** Undefined for the whole pod. */
  readonly container: string | undefined;
  /** For example `its image …`. */
  readonly does: string;
  readonly at: readonly (string | number)[];
  readonly change: string;
}

export interface OnNode {
  /** As written, adapted to the simulated node. */
  readonly spec: object;
  readonly presentImages: readonly string[];
  readonly guesses: readonly NodeGuess[];
}

type Written = Readonly<Record<string, unknown>>;
const LISTS = ['initContainers', 'containers'] as const;

/** What a pod requires of its node, and how the simulated one provides it. */
export function onItsNode(written: object, read: PodSpec): OnNode {
  const { runtimeClassName, ...rest }: Written = { ...written };
  const found = LISTS.flatMap((list) =>
    read[list].map((container, index) => {
      const own = (rest[list] as readonly Written[])[index] ?? {};
      const at = ['spec', list, index];
      return { list, ...withUser(own, container, read, at), ...loadedImage(container, at) };
    }),
  );
  const lists = LISTS.filter((list) => list in rest).map((list) => [
    list,
    found.filter((each) => each.list === list).map(({ spec }) => spec),
  ]);
  return {
    spec: { ...rest, ...Object.fromEntries(lists) },
    presentImages: found.flatMap(({ image }) => image ?? []),
    guesses: [
      ...found.flatMap(({ user, loaded }) => [user, loaded].filter((guess) => guess !== undefined)),
      ...(typeof runtimeClassName === 'string' ? [classGuess(runtimeClassName)] : []),
    ],
  };
}

const classGuess = (name: string): NodeGuess => ({
  container: undefined,
  does: `RuntimeClass ${name} has the handler that the node has`,
  at: ['spec', 'runtimeClassName'],
  change: 'use --unknown-images fail',
});

/** An image with imagePullPolicy Never was loaded onto the node. */
function loadedImage({ name, image, imagePullPolicy }: ContainerSpec, at: NodeGuess['at']) {
  if (imagePullPolicy !== 'Never' || parseImageReference(image) === undefined) return {};
  const loaded: NodeGuess = {
    container: name,
    does: `its image ${image} is already on the node (imagePullPolicy: Never)`,
    at: [...at, 'imagePullPolicy'],
    change: 'use --unknown-images fail',
  };
  return { image, loaded };
}

/** A container that must not run as root has an image with another user, unless the user is known. */
function withUser(
  written: Written,
  { name, image, securityContext: own }: ContainerSpec,
  pod: PodSpec,
  at: NodeGuess['at'],
) {
  const reference = parseImageReference(image);
  const isAsked = own.runAsNonRoot ?? pod.securityContext.runAsNonRoot ?? false;
  const isGiven = (own.runAsUser ?? pod.securityContext.runAsUser) !== undefined;
  if (!isAsked || isGiven || reference === undefined || isInCatalog(reference)) return { spec: written };
  const user: NodeGuess = {
    container: name,
    does: 'its image runs as a user that is not root (runAsNonRoot)',
    at: [...at, 'image'],
    change: 'set runAsUser: 0',
  };
  const securityContext = { ...(written.securityContext as Written | undefined), runAsUser: ASSUMED_USER };
  return { spec: { ...written, securityContext }, user };
}
