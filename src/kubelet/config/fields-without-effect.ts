import { z } from 'zod';
import { signedDurationSchema } from '../../base/input/schemas.js';

const object = z.record(z.string(), z.unknown());

/** Field types (v1beta1/types.go), each with the names of its fields. */
const FIELDS: readonly (readonly [type: z.ZodType, names: string])[] = [
  [
    z.boolean(),
    `
      cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
      enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery
      failCgroupV1 failSwapOn kernelMemcgNotification localStorageCapacityIsolation makeIPTablesUtilChains
      mergeDefaultEvictionSettings protectKernelDefaults registerNode rotateCertificates runOnce seccompDefault
      serverTLSBootstrap singleProcessOOMKill
    `,
  ],
  [
    z.string(),
    `
      cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy contentType
      cpuManagerPolicy hairpinMode healthzBindAddress imagePullCredentialsVerificationPolicy kubeletCgroups
      kubeReservedCgroup memoryManagerPolicy memoryReservationPolicy podCIDR providerID reservedSystemCPUs
      resolvConf showHiddenMetricsForVersion staticPodURL systemCgroups systemReservedCgroup tlsCertFile
      tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy topologyManagerScope volumePluginDir
    `,
  ],
  [
    z.int(),
    `
      containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
      imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst
      kubeAPIQPS maxOpenFiles maxPods nodeStatusMaxImages oomScoreAdj podPidsLimit podsPerCore port
      registryBurst registryPullQPS
    `,
  ],
  [z.number(), `memoryThrottlingFactor`],
  [
    signedDurationSchema,
    `
      cpuCFSQuotaPeriod cpuManagerReconcilePeriod evictionPressureTransitionPeriod httpCheckFrequency
      imageMaximumGCAge imageMinimumGCAge shutdownGracePeriod shutdownGracePeriodCriticalPods
      streamingConnectionIdleTimeout volumeStatsAggPeriod
    `,
  ],
  [
    z.array(z.string()),
    `
      allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist
      tlsCipherSuites
    `,
  ],
  [z.array(z.int()), `tlsCurvePreferences`],
  [
    z.record(z.string(), z.string()),
    `
      cpuManagerPolicyOptions evictionHard evictionMinimumReclaim evictionSoft evictionSoftGracePeriod
      kubeReserved qosReserved systemReserved topologyManagerPolicyOptions
    `,
  ],
  [z.array(object), `registerWithTaints reservedMemory shutdownGracePeriodByPodPriority`],
  [object, `authentication authorization logging memorySwap staticPodURLHeader tracing userNamespaces`],
];

/**
 * Valid KubeletConfiguration fields (kubelet.config.k8s.io/v1beta1 up to 1.37) that have no effect here: there is no
 * API server, TLS, cgroup, eviction or image garbage collection. Only their types are checked.
 */
export const fieldsWithoutEffect: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  FIELDS.flatMap(([type, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type.nullish()]),
  ),
);
