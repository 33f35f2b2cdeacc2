import { shellWord } from '../../../base/markup/shell-word.js';
import { type CompletionNode, pathsOf } from './tree.js';

export const bashScript = (nodes: readonly CompletionNode[]): string => `# Completion of mockri for bash.
_mockri() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' word
  # --option=value is three words.
  if [ "$cur" = '=' ]; then cur=''; elif [ "$prev" = '=' ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${nodes.flatMap(pathsOf).map(shellWord).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  local commands='' options='' words=''
  case "$path" in
${nodes.map(nodeCase).join('\n')}
  esac
  case "$path $prev" in
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *)
      COMPREPLY=($(compgen -W "$commands $words" -- "$cur"))
      [ -z "$words" ] || COMPREPLY+=($(compgen -f -- "$cur"))
      ;;
  esac
}
complete -o default -F _mockri mockri
`;

const nodeCase = ({ path, commands, options, words }: CompletionNode): string => {
  const list = (all: readonly { readonly word: string }[]) =>
    shellWord(all.map(({ word }) => word).join(' '));
  const known = `commands=${list(commands)} options=${list(options)} words=${shellWord(words.join(' '))}`;
  return `    ${shellWord(path)}) ${known} ;;`;
};

const valueCases = ({ path, options }: CompletionNode): string[] =>
  options.flatMap(({ word, values }) => {
    if (values === undefined) return [];
    const reply = values.length > 0 ? `($(compgen -W ${shellWord(values.join(' '))} -- "$cur"))` : '()';
    return [`    ${shellWord(`${path} ${word}`)}) COMPREPLY=${reply}; return ;;`];
  });
