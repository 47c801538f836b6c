"""CRC-32C (Castagnoli), the checksum of TFRecord files, by NumPy.

A CRC without initial value is linear, so a long text is cut into pieces that are advanced side by
side, and what comes before a piece is carried over it by tables made in the same pass.
"""

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL = 0x82F63B78
"""With its bits reversed."""


def byte_table() -> NDArray[np.uint32]:
    """What one byte does to a checksum of 0."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


TABLE = byte_table()
BASIS = np.concatenate([np.arange(256, dtype=np.uint32) << np.uint32(8 * n) for n in range(4)])


def crc32c(content: bytes) -> int:
    """The checksum of at least four bytes."""
    head = np.frombuffer(content, np.uint8).copy()
    head[:4] ^= 0xFF  # the initial value
    length = max(int(len(head) ** 0.5), 16)
    pieces = -(-len(head) // length)
    # Zeros in front change nothing.
    padded = np.zeros(pieces * length, np.uint8)
    padded[-len(head) :] = head
    rows = padded.reshape(pieces, length)
    state = np.concatenate([np.zeros(pieces, np.uint32), BASIS])
    column = np.zeros(len(state), np.uint8)
    for place in range(length):
        column[:pieces] = rows[:, place]
        state = TABLE[(state ^ column) & 0xFF] ^ (state >> 8)
    carry = state[pieces:].reshape(4, 256).tolist()
    total = 0
    for piece in state[:pieces].tolist():
        total = (
            carry[0][total & 0xFF]
            ^ carry[1][total >> 8 & 0xFF]
            ^ carry[2][total >> 16 & 0xFF]
            ^ carry[3][total >> 24]
            ^ piece
        )
    return total ^ 0xFFFFFFFF


def masked(checksum: int) -> int:
    """As TFRecord stores it."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
