/** A ContainerState of api.proto, without its prefix. */
export type ContainerStateName = 'CREATED' | 'RUNNING' | 'EXITED' | 'UNKNOWN';
/** A PodSandboxState of api.proto, without its prefix. */
export type SandboxStateName = 'READY' | 'NOTREADY';
