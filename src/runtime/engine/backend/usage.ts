import type {
  CpuUsage,
  FilesystemUsage,
  IoUsage,
  MemoryUsage,
  Metric,
  MetricDescriptor,
  NetworkUsage,
  ProcessUsage,
  SwapUsage,
} from '../../../cri/gen/runtime/v1/api.js';

export interface ContainerUsage {
  readonly cpu: CpuUsage;
  readonly memory: MemoryUsage;
  readonly io?: IoUsage;
  readonly swap: SwapUsage;
  readonly writableLayer: FilesystemUsage;
}

export interface SandboxUsage {
  readonly cpu: CpuUsage;
  readonly memory: MemoryUsage;
  readonly network: NetworkUsage;
  readonly process: ProcessUsage;
  readonly io?: IoUsage;
}

export interface MetricsBackend {
  /** Constant for the whole life of the runtime (cri-api ListMetricDescriptors). */
  readonly descriptors: readonly MetricDescriptor[];
  /** Metrics of one ready sandbox and of its running containers, keyed by container id. */
  collect(sandboxId: string): Promise<{ pod: Metric[]; containers: ReadonlyMap<string, Metric[]> }>;
}
