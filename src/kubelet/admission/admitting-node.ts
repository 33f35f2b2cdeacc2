/** The node as far as it decides which pods it takes. */
export interface AdmittingNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly {
    readonly key: string;
    readonly value?: string | undefined;
    readonly effect: string;
  }[];
  /** Quantities of what pods may have. */
  readonly allocatable: Readonly<Record<string, string>>;
}
