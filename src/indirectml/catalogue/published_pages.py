"""Which published page describes an operator, and at which commit it was read.

`published_pages.json` lists operators by repository and commit: other versions of a page say other
things.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from dataclasses import dataclass

from indirectml.catalogue import operator_facts

#: Folders of the pages, by repository.
_FOLDERS = {
    "MicrosoftDocs/sdk-api": "sdk-api-src/content/directml",
    "MicrosoftDocs/windows-ai-docs": "docs/directml/api",
}

#: Structures whose names do not follow from the operator's.
_STRUCTURES = {"REVERSE_SUBSEQUENCES": "dml_reverse_subsequences_desc"}


@dataclass(frozen=True)
class PublishedPage:
    """A page of Microsoft's documentation, as it was at a commit.

    Attributes
    ----------
    repository : str
        Owner and name on GitHub.
    commit : str
        40 hexadecimal digits.
    path : str
        Of the file in the repository.
    """

    repository: str
    commit: str
    path: str

    @property
    def url(self) -> str:
        """Where it can be read."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"

    def __str__(self) -> str:
        """Return repository and commit, short enough for a sentence."""
        return f"{self.repository} at {self.commit[:10]}"


@functools.cache
def _places() -> dict[str, tuple[str, str]]:
    data = json.loads(pkgutil.get_data("indirectml.catalogue", "published_pages.json") or "")
    return {
        name: (repository, commit)
        for repository, commits in data.items()
        for commit, names in commits.items()
        for name in names
    }


def published_page(name: str) -> PublishedPage:
    """Return the page of an operator, whose prefix DML_OPERATOR_ is optional.

    Raises
    ------
    DescriptorError
        DirectML has no such operator.

    Examples
    --------
    >>> print(published_page("ACTIVATION_TANH"))
    MicrosoftDocs/sdk-api at dd64e5cb8c
    >>> published_page("FOLD").path
    'docs/directml/api/ns-directml-dml_fold_operator_desc.md'
    """
    name = operator_facts(name).name
    repository, commit = _places()[name]
    structure = _STRUCTURES.get(name, f"dml_{name.lower()}_operator_desc")
    return PublishedPage(repository, commit, f"{_FOLDERS[repository]}/ns-directml-{structure}.md")
