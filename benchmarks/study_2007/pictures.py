"""Gray pictures with the statistics of photographs, made by seed: no photograph need be shipped.

The dead leaves model (Lee, Mumford and Huang 2001, Occlusion models for natural images, IJCV 41):
disks of one shade each hide each other, and how many there are of a radius r falls as r^-3, so
that no scale is special. It gives what photographs have: flat regions, sharp edges, neighbors
that are nearly equal, and a power spectrum that falls as a power of the frequency.
"""

from __future__ import annotations

import math

import numpy as np

SIZE = 512
FINE = 2  # places drawn a pixel, along each side: edges come out as soft as a lens makes them
RADII = (8.0, 500.0)  # least and largest, in fine places
SHADES = (40.0, 215.0)
LIGHT = 12.0  # deviation, in gray levels, of how much a leaf brightens from its middle to its rim
TEXTURE, GRAIN = 5.0, 1.2  # deviation of the 1/f noise and of the white noise, in gray levels


def picture(seed):
    """Return a gray picture: SIZE × SIZE whole numbers from 0 to 255, as floats."""
    random = np.random.default_rng(seed)
    fine = dead_leaves(random, SIZE * FINE)
    soft = fine.reshape(SIZE, FINE, SIZE, FINE).mean(axis=(1, 3))
    noise = TEXTURE * texture(random, SIZE) + GRAIN * random.normal(size=(SIZE, SIZE))
    return np.clip(np.rint(soft + noise), 0, 255)


def dead_leaves(random, size):
    """Drop disks, each behind all that lie there, until no place is empty; return the shades."""
    least, largest = RADII
    shades = np.full((size, size), np.nan)
    empty = size * size
    while empty:
        radius = random.uniform(largest**-2, least**-2) ** -0.5  # its density falls as r^-3
        y, x = random.uniform(-largest, size + largest, 2)
        shade = random.uniform(*SHADES)
        down, right = random.normal(0, LIGHT / radius, 2)
        top, bottom = _within(y, radius, size)
        left, end = _within(x, radius, size)
        window = shades[top:bottom, left:end]
        rows, columns = np.arange(top, bottom)[:, None] - y, np.arange(left, end) - x
        seen = (rows**2 + columns**2 <= radius**2) & np.isnan(window)
        window[seen] = (shade + down * rows + right * columns)[seen]
        empty -= np.count_nonzero(seen)
    return shades


def _within(middle, radius, size):
    """Return the first place of a disk along one side, and the one after its last."""
    first = min(max(0, math.ceil(middle - radius)), size)
    return first, max(first, min(size, math.floor(middle + radius) + 1))


def texture(random, size):
    """Return noise whose amplitude falls as 1/f, with deviation 1."""
    along = np.fft.fftfreq(size)
    frequency = np.hypot(along[:, None], along)
    frequency[0, 0] = np.inf
    white = np.fft.fft2(random.normal(size=(size, size)))
    noise = np.fft.ifft2(white / frequency).real
    return noise / noise.std()


def blocks(image, side):
    """Cut a picture into side × side blocks; return one row a block, one column a pixel."""
    across = image.shape[0] // side
    cut = image.reshape(across, side, across, side).transpose(0, 2, 1, 3)
    return cut.reshape(across * across, side * side)
