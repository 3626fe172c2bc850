"""Memory of an OpenCL device: buffers, what goes up and down, and what is too much."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np

from indirectml.core.errors import DeviceUnavailableError
from indirectml.opencl.platforms import Facts, cl

#: What is written by a fill kernel of the driver instead of an upload.
_ZERO = np.zeros(1, np.uint8)


#: From here on are addresses of devices: no host has so much.
_FIRST_ADDRESS = 1 << 62


#: Which part of a device's memory a heap keeps of what came back, to give it out again: new memory
#: costs a driver more than many a kernel (4 MiB of PoCL's 0.3 ms, on an Intel Emerald Rapids).
_KEPT_PART = 16


class _Block:
    """A buffer of OpenCL, which comes back to its heap when nothing has it any more."""

    __slots__ = ("address", "buffer", "heap", "size_bytes")

    def __init__(self, heap: Heap, buffer: Any, size_bytes: int, address: int) -> None:
        self.heap, self.buffer, self.size_bytes = heap, buffer, size_bytes
        self.address = address

    def __del__(self) -> None:
        self.heap.take_back(self.buffer, self.size_bytes)


class DeviceMemory:
    """Bytes on a device: a part of a buffer of OpenCL.

    Attributes
    ----------
    heap : Heap
        What gave it out.
    block : _Block
        What keeps the buffer.
    buffer : pyopencl.Buffer
        What it is in.
    offset, size_bytes : int
        Where it begins in there, and how many bytes it has.
    """

    __slots__ = ("block", "buffer", "heap", "offset", "size_bytes")

    def __init__(self, block: _Block, offset: int, size_bytes: int) -> None:
        self.block, self.heap, self.buffer = block, block.heap, block.buffer
        self.offset, self.size_bytes = offset, size_bytes

    @property
    def address(self) -> int:
        """Where it begins, among all that its heap gave out."""
        return self.block.address + self.offset

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.size_bytes

    def part(self, offset: int, size_bytes: int) -> DeviceMemory:
        """Return some of its bytes."""
        return DeviceMemory(self.block, self.offset + offset, size_bytes)


class Heap:
    """Gives out memory of a device, and counts it.

    Parameters
    ----------
    owner : Context
        Who uses it.
    context, queue : pyopencl.Context, pyopencl.CommandQueue
        Of the device.
    facts : Facts
        How much memory it has.

    Attributes
    ----------
    counts : Counter
        Bytes that went "up" and "down"; "tables" are what launches know beforehand.
    held_bytes : int
        What is given out.
    kept_bytes : int
        What came back, and is kept to be given out again.
    """

    def __init__(self, owner: Any, context: Any, queue: Any, facts: Facts) -> None:
        self.owner, self._context, self._queue, self._facts = owner, context, queue, facts
        self.counts: Counter[str] = Counter()
        self.held_bytes = 0
        self._kept: dict[int, list[Any]] = {}
        self.kept_bytes = 0
        self._next_address = _FIRST_ADDRESS
        self._counting = threading.RLock()  # what is collected may come back in between

    def new(self, size_bytes: int, *, zeroed: bool) -> DeviceMemory:
        """Return memory; of no bytes there is one, which nobody looks at.

        Raises
        ------
        DeviceUnavailableError
            The device has not so much.
        """
        size = max(size_bytes, 1)
        largest, free = self._facts.allocation_bytes, self._facts.memory_bytes - self.held_bytes
        if size > min(largest, free):
            what = "at once" if size > largest else f"beside {self.held_bytes} in use"
            raise DeviceUnavailableError(
                f"needs {size} bytes of memory {what}, and {self._facts.name} has "
                f"{largest if size > largest else self._facts.memory_bytes}"
            )
        buffer = self._buffer(size, free)
        if zeroed:
            cl.enqueue_fill_buffer(self._queue, buffer, _ZERO, 0, size)
        address, self._next_address = self._next_address, self._next_address + size
        return DeviceMemory(_Block(self, buffer, size, address), 0, size_bytes)

    def _buffer(self, size: int, free: int) -> Any:
        """Return a buffer: one that came back, or a new one."""
        with self._counting:
            ready = self._kept.get(size)
            if ready:
                buffer = ready.pop()
                self.kept_bytes -= size
            else:
                if self.kept_bytes + size > free:
                    self.forget()
                buffer = self._new_buffer(size)
            self.held_bytes += size
        return buffer

    def _new_buffer(self, size: int) -> Any:
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
        except cl.MemoryError as error:
            if self.kept_bytes:
                self.forget()
                return self._new_buffer(size)
            raise DeviceUnavailableError(
                f"needs {size} bytes of memory, which {self._facts.name} does not give: {error}"
            ) from None

    def take_back(self, buffer: Any, size_bytes: int) -> None:
        """Keep a buffer for whoever needs as much: what is queued for it is done before."""
        with self._counting:
            self.held_bytes -= size_bytes
            most = self._facts.memory_bytes // _KEPT_PART
            if self.kept_bytes + size_bytes > most:
                self.forget()
            if size_bytes <= most:
                self._kept.setdefault(size_bytes, []).append(buffer)
                self.kept_bytes += size_bytes

    def forget(self) -> None:
        """Give back to the driver what is kept."""
        with self._counting:
            self._kept.clear()
            self.kept_bytes = 0

    def upload(self, raw: Any, counted: str = "up") -> DeviceMemory:
        """Return memory with bytes of the host: an array of UINT8 without gaps."""
        memory = self.new(raw.size, zeroed=False)
        self.write(memory, raw, counted=counted)
        return memory

    def write(self, memory: DeviceMemory, raw: Any, offset: int = 0, counted: str = "up") -> None:
        """Write bytes of the host into memory."""
        if raw.size:
            self.counts[counted] += raw.size
            at = memory.offset + offset
            cl.enqueue_copy(self._queue, memory.buffer, raw, dst_offset=at)

    def read(self, memory: DeviceMemory, offset: int = 0, size_bytes: int | None = None) -> Any:
        """Return a copy of bytes of memory, when all that was queued before is done."""
        raw = np.empty(memory.size_bytes - offset if size_bytes is None else size_bytes, np.uint8)
        self.read_into(raw, memory, offset)
        return raw

    def read_into(self, raw: Any, memory: DeviceMemory, offset: int = 0) -> None:
        """Write bytes of memory to an array of the host."""
        if raw.size:
            self.counts["down"] += raw.size
            cl.enqueue_copy(self._queue, raw, memory.buffer, src_offset=memory.offset + offset)
