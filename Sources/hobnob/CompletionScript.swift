// SPDX-License-Identifier: GPL-3.0-or-later

/// Completion scripts for bash, zsh and fish: those of the parser's generator, with what the
/// generator cannot know.
///
/// A command line may begin with options of every command, and then need not name a command:
/// `hobnob --as anna lobby` means `hobnob open --as anna lobby`. The generator knows neither, so
/// each script first puts the words in the latter order.
enum CompletionScript {
  /// The parser's option that prints a script.
  static let option = "--generate-completion-script"
  /// The word with which a script asks for names.
  static let question = "---completion"

  /// Completes a script of the generator.
  static func completed(_ generated: String, commands: [String]) -> String {
    let commands = commands.joined(separator: " ")
    if let end = generated.firstRange(of: "\ncomplete -o filenames") {
      // bash reads it, and does not run it: it needs no first line that names a shell.
      return (generated[..<end.lowerBound].drop { $0 != "\n" }.dropFirst() + bash(commands))
        .replacing(
          "\n_hobnob_help() {\n",
          with: #"""

            _hobnob_help() {
                COMPREPLY+=($(compgen -W '\#(commands)' -- "${cur}"))

            """#)
    }
    if let end = generated.firstRange(of: "\nif [[ \"${funcstack[1]}\" = _hobnob ]]") {
      return (generated[..<end.lowerBound] + zsh(commands) + generated[end.lowerBound...])
        .replacing("'*:subcommands:'", with: "'*:subcommands:(\(commands))'")
    }
    return generated.replacing(
      #"'__hobnob_should_offer_completions_for_positional "hobnob" -eq 1'"#,
      with: "__hobnob_at_command") + fish(commands)
  }

  /// bash ends a word at `@`, `:` and `=`, and completes only what comes after them. It quotes only
  /// file names, and mistakes a room for a folder of the same name.
  private static func bash(_ commands: String) -> String {
    #"""

    __hobnob_add_completions() {
        local completion
        if [[ "${1}" != -W ]]; then
            compopt -o filenames
            names_files=true
        fi
        while IFS='' read -r completion; do
            COMPREPLY+=("${completion}")
        done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
    }

    __hobnob_words() {
        local -r typed="${2}" commands='\#(commands)'
        local rest="${COMP_LINE:0:COMP_POINT}" before word
        local -a line=()
        local -i i
        for ((i = 0; i <= COMP_CWORD; i++)); do
            before="${rest}"
            rest="${rest#"${rest%%[![:space:]]*}"}"
            word="${COMP_WORDS[i]}"
            ((i == COMP_CWORD)) && word="${rest}"
            if ((i == 0)) || [[ "${rest}" != "${before}" ]]; then
                line+=("${word}")
            else
                line[-1]+="${word}"
            fi
            rest="${rest#"${word}"}"
        done
        for ((i = 1; i < ${#line[@]}; i++)); do
            [[ "${line[i]}" = --*=* ]] || continue
            line=("${line[@]:0:i}" "${line[i]%%=*}" "${line[i]#*=}" "${line[@]:i+1}")
            ((i += 1))
        done
        local -r raw="${line[-1]}"

        local -i last=$((${#line[@]} - 1)) at=1
        while ((at < last)) && [[ "${line[at]}" = -* ]]; do
            case "${line[at]}" in
            --store | --as | --rc) ((at += 2)) ;;
            *) ((at += 1)) ;;
            esac
        done
        local name=open
        if ((at < last)) && [[ " ${commands} " = *" ${line[at]} "* ]]; then
            name="${line[at]}"
            unset "line[at]"
        elif ((at == last)) && [[ "${line[last]}" != -* ]]; then
            COMPREPLY+=($(compgen -W "${commands}" -- "${line[last]}"))
        fi
        local -a COMP_WORDS=("${line[0]}" "${name}" "${line[@]:1}")
        local -i COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        local COMP_LINE="${COMP_WORDS[*]}"
        local -i COMP_POINT=${#COMP_LINE}
        local names_files=false
        word="${COMP_WORDS[COMP_CWORD]}"
        # compgen takes no quotation mark that is still open.
        [[ "${word}" = \"* ]] && printf -v word %q "${word:1}"
        _hobnob "${COMP_WORDS[0]}" "${word}" "${COMP_WORDS[COMP_CWORD - 1]}"

        local before_typed=0
        [[ "${raw}" = *"${typed}" ]] && before_typed=$((${#raw} - ${#typed}))
        for i in "${!COMPREPLY[@]}"; do
            word="${COMPREPLY[i]}"
            if ! "${names_files}"; then
                case "${raw}" in
                \'*) word="'${word//"'"/"'\\''"}" ;;
                \"*)
                    for before in \\ \" \$ \`; do word="${word//"${before}"/"\\${before}"}"; done
                    word="\"${word}"
                    ;;
                *) printf -v word %q "${word}" ;;
                esac
                word="${word:before_typed}"
            fi
            COMPREPLY[i]="${word}"
        done
    }

    complete -F __hobnob_words hobnob

    """#
  }

  private static func zsh(_ commands: String) -> String {
    #"""

    functions[__hobnob_parsed]="${functions[_hobnob]}"

    _hobnob() {
        emulate -L zsh
        local -ar commands=(\#(commands))
        local -i at ret=1
        for (( at = 2; at <= CURRENT; at++ )); do
            [[ "${words[at]}" = --*=* ]] || continue
            (( at == CURRENT )) && compset -P 1 '*='
            words[at]=("${words[at]%%=*}" "${words[at]#*=}")
            (( CURRENT++, at++ ))
        done
        at=2
        while (( at < CURRENT )) && [[ "${words[at]}" = -* ]]; do
            case "${words[at]}" in
            --store|--as|--rc) (( at += 2 )) ;;
            *) (( at += 1 )) ;;
            esac
        done
        local -ar line=("${words[@]}")
        local -ir current="${CURRENT}"
        if (( at < CURRENT && ${commands[(Ie)${line[at]}]} )); then
            words=("${line[1]}" "${line[at]}" "${(@)line[2,at-1]}" "${(@)line[at+1,-1]}")
        else
            if (( at == CURRENT )) && [[ "${line[at]}" != -* ]]; then
                words=("${line[1]}" "${line[at]}")
                CURRENT=2
                __hobnob_parsed && ret=0
            fi
            words=("${line[1]}" open "${(@)line[2,-1]}")
            CURRENT=$(( current + 1 ))
        fi
        __hobnob_parsed && ret=0
        return "${ret}"
    }

    """#
  }

  private static func fish(_ commands: String) -> String {
    #"""

    functions -e __hobnob_typed
    functions -c __hobnob_tokens __hobnob_typed

    # Where in the words the command is, behind options.
    function __hobnob_command_index
        set -l at 2
        while string match -q -- '-*' "$argv[$at]"
            contains -- $argv[$at] --store --as --rc; and set at (math $at + 1)
            set at (math $at + 1)
        end
        printf %s $at
    end

    function __hobnob_at_command
        set -l line (__hobnob_typed -pc)
        test (__hobnob_command_index $line) -eq (math (count $line) + 1)
        and not string match -q -- '-*' "$(__hobnob_typed -t)"
    end

    function __hobnob_tokens
        if not contains -- "$argv" -pc -p
            __hobnob_typed $argv
            return
        end
        set -l line (__hobnob_typed -pc)
        set -l at (__hobnob_command_index $line)
        set -l name open
        if contains -- "$line[$at]" \#(commands)
            set name $line[$at]
            set -e line[$at]
        end
        # -p asks for the program and all words, -pc for those before the caret.
        set -l program hobnob
        set -l word
        if test "$argv" = -p
            set program $line[1]
            set word (__hobnob_typed -t)
        end
        set -e line[1]
        string join \n -- $program $name $line $word
    end

    complete -c hobnob -n '__hobnob_should_offer_completions_for_positional "hobnob help" -ge 1' \
        -fka '\#(commands)'

    """#
  }
}
