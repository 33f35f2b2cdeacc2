/**
 * The part of v1.Pod that the kubelet acts on, after defaulting (`pods/` checks and defaults manifests): a field that
 * Kubernetes defaults is always there, all others are optional. Times in the specification are seconds, as in YAML.
 */
export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  /** Where the pod came from; a static pod never reaches a terminal phase by deletion. */
  readonly source: 'file' | 'api';
}

export interface PodMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Unix nanoseconds. */
  readonly creationTimestamp?: bigint | undefined;
  /** Unix nanoseconds; set once the pod is to go. */
  readonly deletionTimestamp?: bigint | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
}

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface PodSpec {
  readonly initContainers: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly restartPolicy: RestartPolicy;
  readonly terminationGracePeriodSeconds: number;
  readonly activeDeadlineSeconds?: number | undefined;
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly hostIPC: boolean;
  readonly shareProcessNamespace: boolean;
  readonly hostname?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly runtimeClassName?: string | undefined;
  readonly dnsPolicy: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly securityContext: SecurityContext;
  readonly volumes: readonly Volume[];
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly ContainerPort[];
  readonly volumeMounts: readonly VolumeMount[];
  readonly resources: Resources;
  readonly livenessProbe?: Probe | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly startupProbe?: Probe | undefined;
  readonly lifecycle?: Lifecycle | undefined;
  readonly terminationMessagePath: string;
  readonly terminationMessagePolicy: 'File' | 'FallbackToLogsOnError';
  readonly securityContext: SecurityContext;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** Of an init container: `Always` makes it a sidecar. Of a regular one: overrides the pod's (KEP-5307). */
  readonly restartPolicy?: RestartPolicy | undefined;
  readonly restartPolicyRules: readonly RestartRule[];
}

/** KEP-5307 and KEP-5532: the first rule whose exit codes match decides. */
export interface RestartRule {
  readonly action: 'Restart' | 'RestartAllContainers';
  readonly exitCodes: { readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] };
}

export interface ContainerPort {
  readonly name?: string | undefined;
  readonly containerPort: number;
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
}

/** Volumes that need no cluster: a directory of the host, or one of the pod's own. */
export interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string } | undefined;
  readonly emptyDir?: Readonly<Record<string, unknown>> | undefined;
}

/** Quantities as written (`100m`, `64Mi`). */
export interface Resources {
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
}

export interface SecurityContext {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly privileged?: boolean | undefined;
  readonly readOnlyRootFilesystem?: boolean | undefined;
  readonly allowPrivilegeEscalation?: boolean | undefined;
  readonly capabilities?: { readonly add: readonly string[]; readonly drop: readonly string[] } | undefined;
}

export interface Lifecycle {
  readonly postStart?: Handler | undefined;
  readonly preStop?: Handler | undefined;
}

/** What a hook or a probe does; exactly one is set (`grpc` for probes alone, `sleep` for hooks alone). */
export interface Handler {
  readonly exec?: { readonly command: readonly string[] } | undefined;
  readonly httpGet?: HttpGet | undefined;
  readonly tcpSocket?: { readonly host?: string | undefined; readonly port: number | string } | undefined;
  readonly grpc?: { readonly port: number; readonly service: string } | undefined;
  readonly sleep?: { readonly seconds: number } | undefined;
}

export interface HttpGet {
  readonly path: string;
  readonly port: number | string;
  readonly host?: string | undefined;
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly httpHeaders: readonly { readonly name: string; readonly value: string }[];
}

export interface Probe extends Handler {
  readonly initialDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly terminationGracePeriodSeconds?: number | undefined;
}
