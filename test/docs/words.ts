/** A phrase that the project no longer uses, and what to write instead. */
export interface Word {
  /** Source of a regular expression; a space also matches a line break, with the comment mark of the next line. */
  readonly phrase: string;
  readonly instead: string;
}

/** File name endings of the source, whose comments and literals are checked. */
export const sourceEndings: readonly string[] = ['.ts', '.tsx'];

/** Exceptions: generated code, and this list itself. */
export const unchecked: readonly string[] = ['src/cri/gen/', 'src/runtime/nri/gen/', 'test/docs/words.'];

/** Texts of real programs that Mockri prints byte for byte. They may contain any phrase. */
export const exactTexts: readonly string[] = [
  // busybox, procps/kill.c
  'you need to specify whom to kill',
  // containerd, internal/cri/store/image/image.go
  'can not resolve',
  // Kubernetes, test/e2e_node/system_node_critical_test.go
  'should not be evicted upon DiskPressure',
];

/** Phrases to avoid in pages, scenarios, comments and messages: metaphors, archaic words and literal translations. */
export const words: readonly Word[] = [
  { phrase: 'doors?', instead: 'way, endpoint, server' },
  { phrase: '(the|a|in) house', instead: 'the project, the design' },
  { phrase: 'keep(s|ing)? house', instead: 'clean up' },
  { phrase: 'rooms?', instead: 'part, folder' },
  { phrase: 'inhabitants?', instead: 'process' },
  { phrase: 'crew', instead: 'processes' },
  { phrase: 'by hand', instead: 'manually' },
  { phrase: '(in|into) (your|our|its|their) hands?', instead: 'control' },
  { phrase: 'hands? of', instead: 'name who does it' },
  { phrase: "(is|are|was|were|be|been|isn't|aren't) told", instead: 'receives, learns, is passed' },
  { phrase: 'tell(s|ing)? (of|about)', instead: 'describe, report, show' },
  { phrase: 'tell(s|ing)? (what|that|how|why|which|where|when|whether)', instead: 'state, show, explain' },
  { phrase: '(sees?|saw|seen) to it', instead: 'ensure' },
  { phrase: '(is|are|was|be|been) had', instead: 'is available' },
  { phrase: 'heed(s|ed|ing)?', instead: 'follow, respect, use' },
  { phrase: 'beside', instead: 'next to, in addition to, relative to' },
  { phrase: 'besides', instead: 'in addition (to), also' },
  { phrase: 'whom', instead: 'name the receiver: callback, target, client' },
  { phrase: 'unless told', instead: 'by default' },
  { phrase: 'misspelt', instead: 'misspelled' },
  { phrase: 'hand(s|ed|ing)? (over|on)', instead: 'pass, forward' },
  { phrase: 'anew', instead: 'again; "starts anew" is "restarts", "reads anew" is "reloads"' },
  { phrase: 'mend(s|ed|ing)?', instead: 'fix, repair, correct' },
  { phrase: 'for want of', instead: 'for lack of' },
  { phrase: 'for ever', instead: 'forever, permanently' },
  { phrase: 'whoever', instead: 'everyone who, each client that' },
  { phrase: 'com(e|es|ing) to be', instead: 'is created' },
  { phrase: '(comes?|came|coming) to (its|their|the|an) end', instead: 'end, finish' },
  { phrase: '(goes?|went|going) by (the|that|its|it|events|pod|them)', instead: 'use, rely on' },
  { phrase: '(goes?|went|going) on', instead: 'continue, proceed' },
  { phrase: 'put(s|ting)? to the test', instead: 'test' },
  { phrase: 'put(s|ting)? right', instead: 'correct' },
  { phrase: 'owe(s|d)?', instead: 'must, guarantees' },
  { phrase: 'in vain', instead: 'without success' },
  { phrase: '(takes?|took|taken|taking) (\\w+ ){0,2}back', instead: 'remove, revert' },
  { phrase: 'no RPC is called', instead: 'unknown RPC' },
  { phrase: 'sleeps? never', instead: 'never sleeps' },
  { phrase: 'what (is|was) not said', instead: 'name the missing value: "without …", "by default"' },
  { phrase: 'give or take', instead: 'plus or minus' },
  { phrase: '(is|are|was|were) to be', instead: 'must be' },
  { phrase: 'shall', instead: 'must, will' },
  { phrase: 'till', instead: 'until' },
  { phrase: '(there|where)(by|of|in|upon|with)', instead: 'split the sentence' },
  { phrase: 'upon', instead: 'on, when' },
  { phrase: 'of (its|their|his|our) own', instead: '"its own …" before the noun' },
  { phrase: 'stand(s|ing)? (beside|in front|behind|once|there|for)', instead: 'is, means, replaces' },
  { phrase: '(comes?|came|stands?) in between', instead: 'is between, interrupts' },
  { phrase: 'but for', instead: 'except for' },
  { phrase: 'can not', instead: 'cannot' },
  { phrase: 'so often', instead: 'this number of times' },
  { phrase: "in (each other|one another)('|’)s way", instead: 'conflict' },
  { phrase: '(dies?|died) of', instead: 'is ended by' },
  { phrase: '(hold|holds|held|holding) (\\w+ ){0,3}against', instead: 'compare with, check against' },
  {
    phrase: '(is|are) no (endpoints?|sockets?|tapes?|JSON|director(y|ies)|regular files?)',
    instead: '"is not a …"',
  },
  { phrase: 'what comes in', instead: 'name it: input, requests, messages' },
  { phrase: 'who owns one', instead: 'the owner' },
  { phrase: 'as far as', instead: '"if", "up to", or name the limit' },
  { phrase: 'under way', instead: 'in progress' },
  { phrase: 'all else', instead: 'everything else, otherwise' },
  { phrase: 'in place of', instead: 'instead of' },
  { phrase: '(of )?what is not there', instead: 'an absent …' },
  { phrase: 'bec(ame|omes?) of', instead: 'outcome, lifecycle' },
  { phrase: "don('|’)t mind", instead: 'accept' },
  { phrase: 'who gets at', instead: 'anyone with access to' },
  {
    phrase: '(as|that|which) (nobody|anybody|everybody) (else )?(has|reads?|knows|can|moves)',
    instead: 'name it, or passive',
  },
  {
    phrase: 'whatever (it|the|its|they) (says?|shows?|lists?|is|are|was|were|name)',
    instead: 'regardless of, even if',
  },
  { phrase: 'as (it|they) (has|have) (it|them)', instead: 'as in …' },
  { phrase: 'by turns', instead: 'in turn, alternately' },
  { phrase: '(thrown|throws?|threw) away', instead: 'discard' },
  { phrase: '(is|are) none of (the|its|a|an)', instead: 'is not a …, is outside' },
  { phrase: 'does (it|so) by (itself|themselves)', instead: 'does this automatically' },
  { phrase: 'nothing of it', instead: 'none of it, nothing' },
  { phrase: '(business|matter|affair) of (the|its|a)', instead: 'say who does it' },
  {
    phrase: "(client|wire|caller|kubelet|runtime|server)('|’)s (business|matter|affair)",
    instead: 'say who does it',
  },
];

/** Commands in pages are written so that they work as printed. */
export const bareCommand: Word = {
  phrase:
    '(?<!npx )(?<![\\w./"\'\\[#$-])(?<!## )mockri (serve|fault|watch|kubelet|simulate|explore|conformance|backoff|help|--version)',
  instead: 'npx mockri …',
};
