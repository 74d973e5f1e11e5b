"""Progress of long work: a function, a bar of tqdm, or nothing."""

from __future__ import annotations

from typing import Callable, Protocol, Union, runtime_checkable

from inkveil._errors import SettingsError


@runtime_checkable
class Bar(Protocol):
    """A bar that is moved by steps, as those of tqdm."""

    def update(self, n: float = 1, /) -> object: ...


Progress = Union[Callable[[int], object], Bar, None]


class Stopped(Exception):
    """Ends work whose caller has gone."""


def callback(progress: Progress) -> Callable[[int], object] | None:
    """Returns the function that gets the number of finished texts."""
    if progress is None:
        return None
    if isinstance(progress, Bar):
        bar, seen = progress, [0]

        def move(done: int) -> None:
            bar.update(done - seen[0])
            seen[0] = done

        return move
    if not callable(progress):
        raise SettingsError("progress is a function of a number, or a bar such as tqdm.tqdm()")
    return progress
