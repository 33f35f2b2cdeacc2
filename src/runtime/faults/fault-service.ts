import type { Layer } from '../../cri/layer.js';
import { wrapService } from '../../cri/wrap-service.js';
import { CallUnderRules } from './actions/call-under-rules.js';
import { createFaultContext, type FaultContextOptions } from './actions/context.js';
import { faultyStream } from './actions/stream.js';
import { faultyUnary } from './actions/unary.js';

/** Applies the rules to each call. While no rule is in force, a call costs one check of a flag. */
export function faultLayer(options: FaultContextOptions): Layer {
  const { registry } = options;
  const context = createFaultContext(options);
  return (below) =>
    wrapService(below, {
      unary: (method, work) => (request, call) =>
        registry.active
          ? faultyUnary(new CallUnderRules(context, method, request, call), work)
          : work(request, call),
      stream: (method, work) => (request, call) =>
        faultyStream(new CallUnderRules(context, method, request, call), work),
    });
}
