"""completion.py -- scripts that let bash and zsh complete commands, options, methods and targets."""
from __future__ import annotations

import argparse

from . import cost, methods, output

SHELLS = ("bash", "zsh")
PROGRAMS = "margin-gen gen"  # `alias gen='python3 -m gen'` makes the second one


def words_of(parser: argparse.ArgumentParser, method: str | None = None) -> list[str]:
    """The options of a command; of one that trains, those that the method takes."""
    found = {word for word in parser._option_string_actions if word.startswith("--") or word == "-o"}
    if method is not None:
        for name in methods.OPTIONS:
            if not methods.METHODS[method].takes(name):
                found -= {f"--{name}", f"--no-{name}"}
    return sorted(found)


def trains(parser: argparse.ArgumentParser) -> bool:
    return "--method" in parser._option_string_actions


def values(parsers: dict) -> dict[str, str]:
    """Words that can stand after an option, for options that take one of a few."""
    found = {"--method": " ".join(methods.METHODS), "--target": " ".join(cost.targets())}
    for parser in parsers.values():
        for action in parser._actions:
            if action.choices and action.option_strings:
                found.setdefault(action.option_strings[0], " ".join(map(str, action.choices)))
    for option in methods.OPTIONS.values():
        if getattr(option.parse, "words", None):
            found[f"--{option.name}"] = " ".join(option.parse.words)
    return found


def cases(parsers: dict, line) -> list[str]:
    """Lines of a `case COMMAND-METHOD`: line(pattern, options) for each command, and for each method of those that train."""
    found = []
    for name, parser in parsers.items():
        if trains(parser):
            found += [line(f"{name}-{method}", words_of(parser, method)) for method in methods.METHODS]
        found.append(line(f"{name}-*", words_of(parser)))
    return found


def bash(parsers: dict) -> str:
    """A function of bash: after some options one of a few words, after others a file, else the options of the command. Bash
    takes the = of --method=svm for a word of its own."""
    lines = ["# source <(margin-gen completion bash)", "_margin_gen() {",
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} method= options= i",
             "    COMPREPLY=()",
             "    [ \"$word\" != = ] || word=",
             "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}",
             "    for ((i = 1; i < COMP_CWORD - 1; i++)); do",
             "        [ \"${COMP_WORDS[i]}\" != --method ] || method=${COMP_WORDS[i+1]}",
             "        [ \"$method\" != = ] || method=${COMP_WORDS[i+2]}",
             "    done",
             "    case $before in"]
    lines += [f"        {name}) COMPREPLY=($(compgen -W '{words}' -- \"$word\")); return ;;" for name, words in values(parsers).items()]
    lines += ["    esac", "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
              f"        COMPREPLY=($(compgen -W '{' '.join(parsers)}' -- \"$word\")); return", "    fi", "    case $command-$method in"]
    lines += cases(parsers, lambda pattern, words: f"        {pattern}) options='{' '.join(words)}' ;;")
    lines += ["    esac", "    case $command/$word in",
              f"        completion/*) COMPREPLY=($(compgen -W '{' '.join(SHELLS)}' -- \"$word\")) ;;",
              "        */-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;",
              "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;", "    esac", "}",
              f"complete -o filenames -F _margin_gen {PROGRAMS}"]
    return "\n".join(lines) + "\n"


def zsh(parsers: dict) -> str:
    """The same for zsh, by its own functions; as a script to source, or as a file _margin_gen in a folder of $fpath."""
    lines = ["#compdef margin-gen gen", "# source <(margin-gen completion zsh), after compinit", "_margin_gen() {", "    local -a options",
             "    local before=${words[CURRENT-1]} method= i",
             "    for ((i = 2; i < CURRENT; i++)); do",
             "        case ${words[i]} in --method) method=${words[i+1]} ;; --method=*) method=${words[i]#*=} ;; esac",
             "    done",
             "    if [[ ${words[CURRENT]} == --*=* ]]; then before=${words[CURRENT]%%=*}; compset -P '*='; fi",
             "    case $before in"]
    lines += [f"        {name}) compadd -- {words}; return ;;" for name, words in values(parsers).items()]
    lines += ["    esac", f"    if (( CURRENT == 2 )); then compadd -- {' '.join(parsers)}; return; fi", "    case ${words[2]}-$method in"]
    lines += cases(parsers, lambda pattern, words: f"        {pattern}) options=({' '.join(words)}) ;;")
    lines += ["    esac", "    if [[ ${words[2]} == completion ]]; then", f"        compadd -- {' '.join(SHELLS)}",
              "    elif [[ ${PREFIX} == -* ]]; then", "        compadd -- $options", "    else", "        _files", "    fi", "}",
              "if [[ $funcstack[1] == _margin_gen ]]; then _margin_gen \"$@\"; else compdef _margin_gen " + PROGRAMS + "; fi"]
    return "\n".join(lines) + "\n"


def completion(arguments: argparse.Namespace) -> None:
    from .cli import commands_by_name
    parsers = commands_by_name()
    output.write_file("-", {"bash": bash, "zsh": zsh}[arguments.shell](parsers).encode())
