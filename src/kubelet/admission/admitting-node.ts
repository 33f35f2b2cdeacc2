export interface AdmittingNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly {
    readonly key: string;
    readonly value?: string | undefined;
    readonly effect: string;
  }[];
  readonly allocatable: Readonly<Record<string, string>>;
}
