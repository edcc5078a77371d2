"""completion.py -- scripts that let bash and zsh complete commands, options, methods and targets."""
from __future__ import annotations

import argparse

from . import cost, methods, output

SHELLS = ("bash", "zsh")
PROGRAMS = "margin-gen gen"  # `alias gen='python3 -m gen'` makes the second one


def words_of(parser: argparse.ArgumentParser) -> list[str]:
    return sorted(word for word in parser._option_string_actions if word.startswith("--") or word == "-o")


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


def bash(parsers: dict) -> str:
    """A function of bash: after some options one of a few words, after others a file, else the options of the command."""
    lines = ["# source <(margin-gen completion bash)", "_margin_gen() {",
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options=",
             "    COMPREPLY=()", "    case $before in"]
    lines += [f"        {name}) COMPREPLY=($(compgen -W '{words}' -- \"$word\")); return ;;" for name, words in values(parsers).items()]
    lines += ["    esac", "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
              f"        COMPREPLY=($(compgen -W '{' '.join(parsers)}' -- \"$word\")); return", "    fi", "    case $command in"]
    lines += [f"        {name}) options='{' '.join(words_of(parser))}' ;;" for name, parser in parsers.items()]
    lines += [f"    esac", "    case $command-$word in",
              f"        completion-*) COMPREPLY=($(compgen -W '{' '.join(SHELLS)}' -- \"$word\")) ;;",
              "        *--*|*-o) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;",
              "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;", "    esac", "}",
              f"complete -o filenames -F _margin_gen {PROGRAMS}"]
    return "\n".join(lines) + "\n"


def zsh(parsers: dict) -> str:
    """The same for zsh, by its own functions."""
    lines = ["#compdef margin-gen gen", "# source <(margin-gen completion zsh), after compinit", "_margin_gen() {", "    local -a options",
             "    case ${words[CURRENT-1]} in"]
    lines += [f"        {name}) compadd -- {words}; return ;;" for name, words in values(parsers).items()]
    lines += ["    esac", f"    if (( CURRENT == 2 )); then compadd -- {' '.join(parsers)}; return; fi", "    case ${words[2]} in"]
    lines += [f"        {name}) options=({' '.join(words_of(parser))}) ;;" for name, parser in parsers.items()]
    lines += ["    esac", "    if [[ ${words[2]} == completion ]]; then", f"        compadd -- {' '.join(SHELLS)}",
              "    elif [[ ${words[CURRENT]} == -* ]]; then", "        compadd -- $options", "    else", "        _files", "    fi", "}",
              f"compdef _margin_gen {PROGRAMS}"]
    return "\n".join(lines) + "\n"


def completion(arguments: argparse.Namespace) -> None:
    from .cli import commands_by_name
    parsers = commands_by_name()
    output.write_file("-", {"bash": bash, "zsh": zsh}[arguments.shell](parsers).encode())
