"""Tiles of products: how much of a result a work-group and a work-item have."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from indirectml.opencl.launches import Abilities, Argument, Launch, Source


class Tile(NamedTuple):
    """A shape of tiles; see kernels/tiles.cl.

    Attributes
    ----------
    rows, vectors, wide : int
        A work-item has so many rows, of so many vectors of so many columns.
    group_x, group_y : int
        Work-items of a work-group along columns and rows.
    depth : int
        Products at a time; a divisor of 256.
    buffers : int
        Two where what comes next is read while these are multiplied.
    """

    rows: int
    vectors: int
    wide: int
    group_x: int
    group_y: int
    depth: int
    buffers: int = 2

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns of a work-group."""
        return self.rows * self.group_y, self.vectors * self.wide * self.group_x

    @property
    def defines(self) -> tuple[str, ...]:
        """What the kernels are told."""
        return tuple(f"{name.upper()}={value}" for name, value in self._asdict().items())

    @property
    def local_bytes(self) -> int:
        """Memory of a work-group that the largest kernel takes: convolutions by dot products."""
        rows, columns = self.sizes
        elements = self.buffers * self.depth * (rows + columns)
        elements += rows if self.buffers == 1 else 4 * self.buffers * self.depth
        sums, places = rows + columns, 3 * columns + 7 * max(4 * self.depth, _TABLE)
        return 4 * (elements + sums + places)

    def launch(
        self,
        kernel: str,
        source: Source,
        arguments: tuple[Argument, ...],
        sizes: tuple[int, int, int],
        work: int,
    ) -> Launch:
        """Return a launch for results of m rows and n columns, and so many of them.

        `work` is what an element takes.
        """
        (rows, columns), (m, n, count) = self.sizes, sizes
        across = -(-n // columns) * self.group_x, -(-m // rows) * self.group_y, count
        work *= self.rows * self.vectors * self.wide
        return Launch(kernel, source, arguments, across, (self.group_x, self.group_y, 1), work)


#: Where work-items are threads of a GPU: 128 x 128, and less where a result is smaller; then what
#: work-groups of at most 64 have.
OF_GPU = (
    Tile(8, 2, 4, 16, 16, 16), Tile(8, 1, 4, 16, 16, 16), Tile(4, 2, 4, 8, 16, 16),
    Tile(2, 1, 2, 16, 16, 16),
    Tile(8, 2, 4, 8, 8, 8), Tile(4, 1, 4, 8, 8, 16),
)  # fmt: skip
#: Where they are turns of a loop over vectors of a CPU, which have so many elements. What is done
#: between barriers costs something for each: 256 products at a time take 0.85 of the time that 64
#: take (PoCL on an Intel Emerald Rapids), where there is memory for so many.
_OF_CPU = {
    16: (Tile(8, 2, 16, 2, 8, 256, 1), Tile(8, 2, 16, 2, 8, 64, 1), Tile(8, 1, 16, 1, 2, 64, 1)),
    8: (Tile(4, 2, 8, 4, 16, 256, 1), Tile(4, 2, 8, 4, 16, 64, 1), Tile(4, 1, 8, 2, 4, 64, 1)),
    4: (Tile(4, 2, 4, 8, 16, 256, 1), Tile(4, 2, 4, 8, 16, 64, 1), Tile(4, 1, 4, 4, 4, 64, 1)),
}

#: Of how many products convolutions know the places at once.
_TABLE = 128

#: With fewer rows or columns than these, every element is for itself.
FEW = 4


def _tiles(abilities: Abilities) -> list[Tile]:
    """Return the tiles that a device has room for."""
    width = abilities.vector_width
    return [
        tile
        for tile in (_OF_CPU[min(max(4, width), 16)] if width > 1 else OF_GPU)
        if tile.group_x * tile.group_y <= abilities.group_size
        and tile.local_bytes <= abilities.local_bytes
    ]


def least_tile(abilities: Abilities) -> Tile:
    """Return the smallest tile: what kernels without tiles are built with, whatever the sizes."""
    return min(_tiles(abilities), key=lambda tile: prod(tile.sizes))


def tile_for(m: int, n: int, count: int, abilities: Abilities) -> Tile:
    """Return the largest tile that wastes at most a quarter more than the one that wastes least.

    On a GPU it is a smaller one where so large ones are fewer than 3/4 of what runs at once.

    Parameters
    ----------
    m, n, count : int
        Rows and columns of a result, and how many results there are.
    abilities : Abilities
        Of the device: what a work-group may have, and how many run at once.
    """
    tiles = _tiles(abilities)

    def area(tile: Tile) -> int:
        rows, columns = tile.sizes
        return -(-m // rows) * rows * -(-n // columns) * columns

    least = min(map(area, tiles))
    good = [tile for tile in tiles if 4 * area(tile) <= 5 * least]
    if abilities.vector_width > 1:
        return good[0]
    enough = (t for t in good if 4 * count * area(t) >= 3 * abilities.units * prod(t.sizes))
    return next(enough, min(good, key=lambda tile: prod(tile.sizes)))
