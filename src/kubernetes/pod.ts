import type { PodApiStatus } from './pod-status.js';
import type { ResizePolicy, Resources } from './resources.js';

/**
 * The part of v1.Pod that the kubelet acts on, after defaulting (`pods/` validates and defaults manifests). Fields
 * with a default in Kubernetes are always set, all others are optional. Times in the specification are seconds, as in
 * YAML.
 */
export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  /** As the API server had it when the kubelet first saw the pod: a kubelet that was restarted continues from there. */
  readonly status?: PodApiStatus | undefined;
  /** Source of the pod. The deletion of a static pod never leads to a terminal phase. */
  readonly source: 'file' | 'api';
}

/** v1.ObjectMeta; a static pod's uid, name and namespace are generated as in config/common.go. */
export interface PodMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Counts the changes of the specification; a static pod has none. */
  readonly generation?: number | undefined;
  /** Unix nanoseconds. */
  readonly creationTimestamp?: bigint | undefined;
  /** Unix nanoseconds; set when the pod is deleted. */
  readonly deletionTimestamp?: bigint | undefined;
  /** Set together with `deletionTimestamp`; overrides the specification's grace period. */
  readonly deletionGracePeriodSeconds?: number | undefined;
}

/** v1.RestartPolicy and v1.ContainerRestartPolicy, which have the same values. */
export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** Names of an address, for /etc/hosts. */
export interface HostAlias {
  readonly ip: string;
  readonly hostnames: readonly string[];
}

/** v1.PodSpec. */
export interface PodSpec {
  readonly initContainers: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  /** Added to a pod of the API that runs (`kubectl debug`). They are started once. */
  readonly ephemeralContainers?: readonly EphemeralContainer[] | undefined;
  readonly restartPolicy: RestartPolicy;
  readonly terminationGracePeriodSeconds: number;
  /** Of its priority class. Default: 0. */
  readonly priority?: number | undefined;
  readonly activeDeadlineSeconds?: number | undefined;
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly hostIPC: boolean;
  readonly shareProcessNamespace: boolean;
  readonly hostname?: string | undefined;
  /** Name of the host instead of `hostname` and the pod's name (HostnameOverride, from 1.35 on by default). */
  readonly hostnameOverride?: string | undefined;
  /** Operating system that the pod is for, such as `linux`. Default: any. */
  readonly os?: string | undefined;
  /** Kernel parameters of the sandbox. */
  readonly sysctls?: Readonly<Record<string, string>> | undefined;
  readonly nodeName?: string | undefined;
  readonly runtimeClassName?: string | undefined;
  readonly serviceAccountName?: string | undefined;
  /** Names of Secrets with credentials of registries. */
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** Types of conditions that others set; the pod is ready when they are all true. */
  readonly readinessGates?: readonly string[] | undefined;
  /** Whether containers have variables of the services of their namespace. Default: they have. */
  readonly enableServiceLinks?: boolean | undefined;
  /** Lines of the containers' /etc/hosts. */
  readonly hostAliases?: readonly HostAlias[] | undefined;
  /** Labels that the node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** `requiredDuringSchedulingIgnoredDuringExecution`: the node must fit one of the terms. */
  readonly nodeAffinity?: readonly NodeSelectorTerm[] | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly dnsPolicy: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly securityContext: SecurityContext;
  readonly volumes: readonly Volume[];
}

/** v1.NodeSelectorTerm: all requirements must be met. */
export interface NodeSelectorTerm {
  readonly expressions: readonly SelectorRequirement[];
  readonly fields: readonly SelectorRequirement[];
}

/** v1.NodeSelectorRequirement. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** v1.Toleration; what is empty fits every taint. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

/** An environment variable of a container. */
export interface EnvVar {
  readonly name: string;
  /** `$(NAME)` in the value is expanded. */
  readonly value: string;
  /** Field of the pod that provides the value instead (`valueFrom.fieldRef`), such as `status.podIP`. */
  readonly fieldPath?: string | undefined;
  /** Another source of the value instead. */
  readonly source?: EnvSource | undefined;
}

/** `valueFrom` of a variable, or an item of a volume: a resource of a container, or a key of an object in the API. */
export type EnvSource = ResourceSource | KeySource;

/** v1.ResourceFieldSelector. */
export interface ResourceSource {
  readonly kind: 'resource';
  /** Such as `limits.cpu`. */
  readonly resource: string;
  /** Default: the container that has the variable. */
  readonly container?: string | undefined;
  /** Default: 1. */
  readonly divisor?: string | undefined;
}

/** v1.ConfigMapKeySelector and v1.SecretKeySelector. */
export interface KeySource {
  readonly kind: 'configMap' | 'secret';
  readonly name: string;
  readonly key: string;
  readonly optional: boolean;
}

/** v1.EnvFromSource: all keys of an object become variables. */
export interface EnvFrom {
  readonly kind: 'configMap' | 'secret';
  readonly name: string;
  readonly prefix: string;
  readonly optional: boolean;
}

/** v1.ServiceAccountTokenProjection: a token of the pod's service account. */
export interface TokenSource {
  readonly kind: 'token';
  /** Empty for the API server's own. */
  readonly audience: string;
  readonly expirationSeconds: number;
  readonly path: string;
}

/** A source of a volume's files. Without `items`, every key is a file. */
export type VolumeSource =
  | {
      readonly kind: 'configMap' | 'secret';
      readonly name: string;
      readonly optional: boolean;
      readonly items?: readonly { readonly key: string; readonly path: string }[] | undefined;
    }
  | TokenSource
  | {
      readonly kind: 'downward';
      readonly items: readonly {
        readonly path: string;
        readonly fieldPath?: string | undefined;
        readonly source?: ResourceSource | undefined;
      }[];
    };

/** v1.Container, regular or init. */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[] | undefined;
  readonly ports: readonly ContainerPort[];
  readonly volumeMounts: readonly VolumeMount[];
  readonly resources: Resources;
  /** What a change of its resources needs. Default: nothing. */
  readonly resizePolicy?: readonly ResizePolicy[] | undefined;
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
  /** `Always` makes an init container a sidecar. In a regular container it overrides the pod's policy (KEP-5307). */
  readonly restartPolicy?: RestartPolicy | undefined;
  readonly restartPolicyRules: readonly RestartRule[];
}

/** v1.EphemeralContainer. */
export interface EphemeralContainer extends ContainerSpec {
  /** The container whose processes it sees. */
  readonly targetContainerName?: string | undefined;
}

/** KEP-5307 and KEP-5532: the first rule whose exit codes match decides. */
export interface RestartRule {
  readonly action: 'Restart' | 'RestartAllContainers';
  readonly exitCodes: { readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] };
}

/** v1.ContainerPort. Ports are passed to the runtime, and used to resolve port names in probes and hooks. */
export interface ContainerPort {
  readonly name?: string | undefined;
  readonly containerPort: number;
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

/** v1.VolumeMount. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  /** File or directory of the volume that is mounted instead of all of it. */
  readonly subPath?: string | undefined;
  /** The same, with `$(NAME)` for variables of the container. */
  readonly subPathExpr?: string | undefined;
}

/** A directory of the host (hostPath) or of the pod (all others). */
export interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string } | undefined;
  readonly emptyDir?: Readonly<Record<string, unknown>> | undefined;
  /** The files of a volume of type configMap, secret, downwardAPI or projected. */
  readonly sources?: readonly VolumeSource[] | undefined;
}

/** v1.PodSecurityContext and v1.SecurityContext combined; a container's value overrides its pod's. */
export interface SecurityContext {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly privileged?: boolean | undefined;
  readonly readOnlyRootFilesystem?: boolean | undefined;
  readonly allowPrivilegeEscalation?: boolean | undefined;
  readonly capabilities?: { readonly add: readonly string[]; readonly drop: readonly string[] } | undefined;
}

/** v1.Lifecycle. A failing postStart kills the container, a failing preStop is only reported. */
export interface Lifecycle {
  readonly postStart?: Handler | undefined;
  readonly preStop?: Handler | undefined;
}

/** Action of a hook or a probe; exactly one is set (`grpc` only in probes, `sleep` only in hooks). */
export interface Handler {
  readonly exec?: { readonly command: readonly string[] } | undefined;
  readonly httpGet?: HttpGet | undefined;
  readonly tcpSocket?: { readonly host?: string | undefined; readonly port: number | string } | undefined;
  readonly grpc?: { readonly port: number; readonly service: string } | undefined;
  readonly sleep?: { readonly seconds: number } | undefined;
}

/** v1.HTTPGetAction; the port can be the name of a container port. */
export interface HttpGet {
  readonly path: string;
  readonly port: number | string;
  readonly host?: string | undefined;
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly httpHeaders: readonly { readonly name: string; readonly value: string }[];
}

/** v1.Probe: thresholds count consecutive results, times are seconds. */
export interface Probe extends Handler {
  readonly initialDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** For liveness and startup probes (KEP-2238): overrides the pod's value when the probe causes the kill. */
  readonly terminationGracePeriodSeconds?: number | undefined;
}
