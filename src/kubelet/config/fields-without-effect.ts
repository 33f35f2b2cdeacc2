/**
 * Valid KubeletConfiguration fields (kubelet.config.k8s.io/v1beta1 up to 1.37) that have no effect here: there is no
 * API server, TLS, cgroup, eviction or image garbage collection.
 */
export const fieldsWithoutEffect: readonly string[] = `
  allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS
  clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxWorkers contentType cpuCFSQuota
  cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerPolicyOptions cpuManagerReconcilePeriod
  enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers
  enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable
  eventBurst eventRecordQPS evictionHard evictionMaxPodGracePeriod evictionMinimumReclaim
  evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod failCgroupV1 failSwapOn hairpinMode
  healthzBindAddress healthzPort httpCheckFrequency imageGCHighThresholdPercent imageGCLowThresholdPercent
  imageMaximumGCAge imageMinimumGCAge imagePullCredentialsVerificationPolicy iptablesDropBit
  iptablesMasqueradeBit kernelMemcgNotification kubeAPIBurst kubeAPIQPS kubeletCgroups kubeReserved
  kubeReservedCgroup localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles
  maxPods memoryManagerPolicy memoryReservationPolicy memorySwap memoryThrottlingFactor
  mergeDefaultEvictionSettings nodeStatusMaxImages oomScoreAdj podCIDR podPidsLimit podsPerCore port
  preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved registerNode
  registerWithTaints registryBurst registryPullQPS reservedMemory reservedSystemCPUs resolvConf
  rotateCertificates runOnce seccompDefault serverTLSBootstrap
  showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority
  shutdownGracePeriodCriticalPods singleProcessOOMKill staticPodURL staticPodURLHeader
  streamingConnectionIdleTimeout systemCgroups systemReserved systemReservedCgroup tlsCertFile
  tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy
  topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir
  volumeStatsAggPeriod
`
  .trim()
  .split(/\s+/);
