export const NRI_PREFIX = 'nri:';

const requests = [
  'Configure',
  'Synchronize',
  'Shutdown',
  'RunPodSandbox',
  'UpdatePodSandbox',
  'PostUpdatePodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'ValidateContainerAdjustment',
  'PostCreateContainer',
  'StartContainer',
  'PostStartContainer',
  'UpdateContainer',
  'PostUpdateContainer',
  'StopContainer',
  'RemoveContainer',
] as const;

/** The requests to plugins, as rules name them: `nri:CreateContainer`. */
export const nriMethods: readonly { readonly name: string; readonly stream: boolean }[] = requests.map(
  (name) => ({ name: `${NRI_PREFIX}${name}`, stream: false }),
);

export const isNri = (name: string): boolean => name.startsWith(NRI_PREFIX);

export const isNriRule = ({ methods }: { readonly methods: readonly { readonly name: string }[] }): boolean =>
  methods.some(({ name }) => isNri(name));
