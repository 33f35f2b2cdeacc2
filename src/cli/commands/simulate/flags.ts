import type { UnknownImages } from '../../../../adapters/memory/guess/facts.js';
import type { OutputFormat } from '../../../lab/scenario/output/formats.js';
import type { VariedField } from '../../../lab/scenario/vary/field.js';
import type { RuntimeProfileName } from '../../../runtime/profiles/index.js';
import type { Redaction } from '../../../tape/keep.js';

export interface Flags {
  readonly output?: OutputFormat;
  readonly seed?: string;
  readonly kubeletVersion?: readonly string[] | undefined;
  readonly runtimeProfile?: readonly RuntimeProfileName[];
  readonly latency?: string;
  readonly vary?: readonly VariedField[];
  readonly explain?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly update?: boolean;
  readonly oracle?: string;
  readonly real?: boolean;
  readonly socket?: boolean;
  readonly kubelet?: string;
  readonly record?: string;
  readonly keep?: Redaction[];
  readonly replicas?: number;
  readonly until?: number;
  readonly unknownImages?: UnknownImages;
  readonly save?: string;
}
