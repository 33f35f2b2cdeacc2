/** Quantities as written (`100m`, `64Mi`). */
export interface Resources {
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
}

/** v1.ContainerResizePolicy. */
export interface ResizePolicy {
  readonly resourceName: string;
  readonly restartPolicy: 'NotRequired' | 'RestartContainer';
}
