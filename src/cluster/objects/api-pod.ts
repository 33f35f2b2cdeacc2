import type { ApiObject } from '../api/watch-objects.js';

/** The fields of v1.Pod that a node reads. The API server has checked and defaulted them. */
export interface ApiPod extends ApiObject {
  readonly metadata: ApiObject['metadata'] & {
    readonly labels?: Strings;
    readonly annotations?: Strings;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: ApiPodSpec;
  readonly status?: ApiPodStatus;
}

type Strings = Readonly<Record<string, string>>;

/** v1.PodSpec. */
export interface ApiPodSpec {
  readonly nodeName?: string;
  readonly containers: readonly ApiContainer[];
  readonly initContainers?: readonly ApiContainer[];
  readonly ephemeralContainers?: readonly (ApiContainer & { readonly targetContainerName?: string })[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly priority?: number;
  readonly activeDeadlineSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly os?: { readonly name: string };
  readonly runtimeClassName?: string;
  readonly serviceAccountName?: string;
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly securityContext?: ApiSecurityContext;
  readonly volumes?: readonly ApiVolume[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly enableServiceLinks?: boolean;
  readonly hostAliases?: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[];
  readonly nodeSelector?: Strings;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly ApiNodeSelectorTerm[];
      };
    };
  };
  readonly tolerations?: readonly ApiToleration[];
}

/** v1.Container. */
export interface ApiContainer {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly ApiEnvVar[];
  readonly envFrom?: readonly ApiEnvFrom[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
    readonly subPathExpr?: string;
  }[];
  readonly resources?: { readonly limits?: Strings; readonly requests?: Strings };
  readonly resizePolicy?: readonly {
    readonly resourceName: string;
    readonly restartPolicy: 'NotRequired' | 'RestartContainer';
  }[];
  readonly livenessProbe?: ApiProbe;
  readonly readinessProbe?: ApiProbe;
  readonly startupProbe?: ApiProbe;
  readonly lifecycle?: { readonly postStart?: ApiHandler; readonly preStop?: ApiHandler };
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  readonly securityContext?: ApiSecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly restartPolicyRules?: readonly {
    readonly action: 'Restart' | 'RestartAllContainers';
    readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] };
  }[];
}

/** A name in the pod's namespace, and whether the object may be missing. */
export interface ApiReference {
  readonly name?: string;
  readonly optional?: boolean;
}

/** v1.ResourceFieldSelector. */
export interface ApiResourceReference {
  readonly resource: string;
  readonly containerName?: string;
  readonly divisor?: string;
}

/** v1.EnvVar. */
export interface ApiEnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: ApiResourceReference;
    readonly configMapKeyRef?: ApiReference & { readonly key: string };
    readonly secretKeyRef?: ApiReference & { readonly key: string };
  };
}

/** v1.EnvFromSource. */
export interface ApiEnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: ApiReference;
  readonly secretRef?: ApiReference;
}

/** v1.LifecycleHandler, and the handler of a probe. */
export interface ApiHandler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string };
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly sleep?: { readonly seconds: number };
}

/** v1.Probe. */
export interface ApiProbe extends ApiHandler {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** v1.SecurityContext and v1.PodSecurityContext. */
export interface ApiSecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly fsGroup?: number;
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
  readonly supplementalGroups?: readonly number[];
}

/** v1.NodeSelectorTerm. */
export interface ApiNodeSelectorTerm {
  readonly matchExpressions?: readonly ApiSelectorRequirement[];
  readonly matchFields?: readonly ApiSelectorRequirement[];
}

/** v1.NodeSelectorRequirement. */
export interface ApiSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values?: readonly string[];
}

/** v1.Toleration. */
export interface ApiToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** v1.KeyToPath. */
export interface ApiKeyToPath {
  readonly key: string;
  readonly path: string;
}

/** v1.DownwardAPIVolumeFile. */
export interface ApiDownwardFile {
  readonly path: string;
  readonly fieldRef?: { readonly fieldPath: string };
  readonly resourceFieldRef?: ApiResourceReference;
}

/** The sources of files that a projected volume can have too. */
export interface ApiVolumeSource {
  readonly configMap?: ApiReference & { readonly items?: readonly ApiKeyToPath[] };
  readonly secret?: ApiReference & { readonly secretName?: string; readonly items?: readonly ApiKeyToPath[] };
  readonly downwardAPI?: { readonly items?: readonly ApiDownwardFile[] };
  readonly serviceAccountToken?: {
    readonly audience?: string;
    readonly expirationSeconds?: number;
    readonly path: string;
  };
}

/** v1.Volume. */
export interface ApiVolume extends ApiVolumeSource {
  readonly name: string;
  readonly hostPath?: { readonly path: string };
  readonly emptyDir?: Readonly<Record<string, unknown>>;
  readonly projected?: { readonly sources?: readonly ApiVolumeSource[] };
}

/** v1.PodCondition. */
export interface ApiCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

/** v1.ContainerState. */
export interface ApiContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string | null };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string | null;
    readonly finishedAt?: string | null;
    readonly containerID?: string;
  };
}

/** v1.ContainerStatus. */
export interface ApiContainerStatus {
  readonly name: string;
  readonly state?: ApiContainerState;
  readonly lastState?: ApiContainerState;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly user?: {
    readonly linux?: {
      readonly uid: number;
      readonly gid: number;
      readonly supplementalGroups?: readonly number[];
    };
  };
  readonly resources?: { readonly limits?: Strings; readonly requests?: Strings };
  readonly allocatedResources?: Strings;
}

/** v1.PodStatus. Fields that are not listed are kept as they are. */
export interface ApiPodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly ApiCondition[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly qosClass?: string;
  readonly startTime?: string | null;
  readonly observedGeneration?: number;
  readonly initContainerStatuses?: readonly ApiContainerStatus[];
  readonly containerStatuses?: readonly ApiContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ApiContainerStatus[];
}
