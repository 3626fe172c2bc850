"""Tiles of products: how much of a result a work-group and a work-item have."""

from __future__ import annotations

from typing import NamedTuple


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
    """

    rows: int
    vectors: int
    wide: int
    group_x: int
    group_y: int
    depth: int

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns of a work-group."""
        return self.rows * self.group_y, self.vectors * self.wide * self.group_x

    @property
    def defines(self) -> tuple[str, ...]:
        """What the kernels are told."""
        return tuple(f"{name.upper()}={value}" for name, value in self._asdict().items())

    def launch_sizes(self, m: int, n: int, count: int) -> tuple[int, int, int]:
        """Return how many work-items have all of `count` results of m rows and n columns."""
        rows, columns = self.sizes
        return -(-n // columns) * self.group_x, -(-m // rows) * self.group_y, count


#: Where work-items are threads of a GPU: 128 x 128, and less where a result is smaller.
OF_GPU = (Tile(8, 2, 4, 16, 16, 8), Tile(4, 1, 4, 16, 16, 16), Tile(2, 1, 2, 16, 16, 16))
#: Where they are turns of a loop over vectors of a CPU, which have so many elements.
_OF_CPU = {
    16: (Tile(8, 2, 16, 2, 8, 64), Tile(8, 1, 16, 1, 2, 64)),
    8: (Tile(4, 2, 8, 4, 16, 64), Tile(4, 1, 8, 2, 4, 64)),
    4: (Tile(4, 2, 4, 8, 16, 64), Tile(4, 1, 4, 4, 4, 64)),
}

#: With fewer rows or columns than these, every element is for itself.
FEW = 4


def tile_for(m: int, n: int, vector_width: int) -> Tile:
    """Return the largest tile that wastes at most a quarter more than the one that wastes least.

    Parameters
    ----------
    m, n : int
        Rows and columns of a result.
    vector_width : int
        How many FLOAT32 the device computes at once for a work-item.
    """
    tiles = _OF_CPU[min(max(4, vector_width), 16)] if vector_width > 1 else OF_GPU

    def area(tile: Tile) -> int:
        rows, columns = tile.sizes
        return -(-m // rows) * rows * -(-n // columns) * columns

    least = min(map(area, tiles))
    return next(tile for tile in tiles if 4 * area(tile) <= 5 * least)
