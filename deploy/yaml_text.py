"""YAML for people to read and for engines that read other versions of YAML than its writer."""

import re
from typing import Any

import yaml

_PLAIN = re.compile(r"[A-Za-z_/].*", re.DOTALL)
_LETTERS = frozenset("yYnN")


def dump(*documents: Any) -> str:
    """Return ``documents`` as one YAML stream, keys in the order they have."""
    return yaml.dump_all(
        documents,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=100,
    )


def escaped(value: Any) -> Any:
    """Return ``value`` for a file of Compose or Swarm, where "$" begins a variable's name."""
    if isinstance(value, str):
        return value.replace("$", "$$")
    if isinstance(value, dict):
        return {key: escaped(each) for key, each in value.items()}
    if isinstance(value, list):
        return [escaped(each) for each in value]
    return value


def unescaped(value: Any) -> Any:
    """Return what `escaped` was given."""
    if isinstance(value, str):
        return value.replace("$$", "$")
    if isinstance(value, dict):
        return {key: unescaped(each) for key, each in value.items()}
    if isinstance(value, list):
        return [unescaped(each) for each in value]
    return value


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Repeat what occurs twice: a reference is one more thing to look up."""
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # "y" is true and "1e3" a number to readers of one version of YAML or another.
    plain = _PLAIN.fullmatch(text) and text not in _LETTERS
    style = "|" if "\n" in text else None if plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    flat = not any(isinstance(item, dict | list) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flat)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
