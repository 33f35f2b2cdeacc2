import { type FailureName, failureInGo } from '../../../../cri/status-code.js';
import type { FaultInput } from '../../../../runtime/faults/language/rule-schema.js';

export interface ContainerOfPod {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly image: string;
}

const PULL_REASONS = ['ImagePullBackOff', 'ErrImagePull', 'RegistryUnavailable', 'SignatureValidationFailed'];

export const isPullFailure = (reason: string): boolean => PULL_REASONS.includes(reason);

export function pullFault({ pod, namespace, container, image }: ContainerOfPod, text: string): FaultInput {
  const cause = text.replace(/^Back-off pulling image "[^"]*"(: )?/, '').replace(/^ErrImagePull: /, '');
  const name = image.includes('@') || /:[^/:]+$/.test(image) ? image : `${image}:latest`;
  return {
    name: ruleName('pull', pod, namespace, container),
    match: { method: 'PullImage', pod: { name: pod, namespace }, request: { image: { image: name } } },
    then: { error: cause === '' ? { code: 'NOT_FOUND', message: unknownImage(name) } : statusOf(cause) },
  };
}

export const createFault = ({ pod, namespace, container }: ContainerOfPod, text: string): FaultInput => ({
  name: ruleName('create', pod, namespace, container),
  match: { method: 'CreateContainer', pod: { name: pod, namespace }, container: { name: container } },
  then: { error: statusOf(text) },
});

/** containerd's message; kubelets before 1.32 do not show the error between two pulls. */
const unknownImage = (image: string): string =>
  `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;

const NAME_LENGTH = 100;

const ruleName = (what: string, pod: string, namespace: string, container: string): string =>
  [what, ...(namespace === 'default' ? [] : [namespace]), pod, container].join('-').slice(0, NAME_LENGTH);

/** Parses `rpc error: code = NotFound desc = …`; other texts have no specific code. */
function statusOf(text: string): { readonly code: FailureName; readonly message: string } {
  const [, goName = 'Unknown', message = text] = /^rpc error: code = (\w+) desc = (.*)$/s.exec(text) ?? [];
  return { code: failureInGo(goName), message };
}
