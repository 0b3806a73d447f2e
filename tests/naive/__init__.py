"""Slow twins of everything fast: plain loops, nothing imported from the library."""

from __future__ import annotations

from functools import partial

from naive.columns import microaggregate_columns
from naive.data import Exact, Floats, falls, squared_distance, standardize, total_sse
from naive.files import class_sizes, information_loss, labels, rounded, rounded_mean
from naive.fixed_size import (
    cbfs,
    cbfs_nc,
    cbfs_nn,
    diameter,
    gsms_nn,
    mdav,
    mdav_fixed,
    mdav_nc,
    mdav_nn,
    phase1,
    tfrp1,
    tfrp_fixed,
    tfrp_nc,
    tfrp_nn,
    v_mdav,
)
from naive.mixed import range_loss
from naive.parts import (
    farthest,
    farthest_of,
    farthest_pair,
    grow_nc,
    grow_nn,
    join_nearest,
    nearest,
    nearest_group,
)
from naive.paths import hilbert_cut, mdav_mhm, mst, optimal, written
from naive.refine import (
    decompose,
    phase2,
    printed_decompose,
    printed_from_method,
    printed_iterative,
    refine_decompose,
    refine_iterative,
    shrink,
    split_large,
)

__all__ = [
    "METHODS",
    "Exact",
    "Floats",
    "cbfs",
    "cbfs_nc",
    "cbfs_nn",
    "class_sizes",
    "decompose",
    "diameter",
    "falls",
    "farthest",
    "farthest_of",
    "farthest_pair",
    "grow_nc",
    "grow_nn",
    "gsms_nn",
    "information_loss",
    "join_nearest",
    "labels",
    "mdav",
    "mdav_fixed",
    "mdav_nc",
    "mdav_nn",
    "microaggregate_columns",
    "nearest",
    "nearest_group",
    "phase1",
    "phase2",
    "printed_decompose",
    "printed_from_method",
    "printed_iterative",
    "range_loss",
    "refine_decompose",
    "refine_iterative",
    "refined",
    "rounded",
    "rounded_mean",
    "shrink",
    "split_large",
    "squared_distance",
    "standardize",
    "tfrp1",
    "tfrp_fixed",
    "tfrp_nc",
    "tfrp_nn",
    "total_sse",
    "v_mdav",
    "written",
]


def refined(method, refinement):
    """The twin that refines what another twin finds."""
    return lambda data, k: refinement(data, method(data, k), k)


def in_rows(method):
    """The twin on some of the rows only."""
    return lambda data, rows, k: method(data, k, rows)


PAPER_2018 = {
    "cbfs-nn": cbfs_nn,
    "cbfs-nc": cbfs_nc,
    "mdav-nn": mdav_nn,
    "mdav-nc": mdav_nc,
    "tfrp-nn": tfrp_nn,
    "tfrp-nc": tfrp_nc,
    "gsms-nn": gsms_nn,
}

METHODS = {
    "mdav": mdav,
    "v-mdav": v_mdav,
    **PAPER_2018,
    **{f"{name}2": refined(twin, printed_decompose) for name, twin in PAPER_2018.items()},
    **{f"{name}3": refined(twin, printed_from_method) for name, twin in PAPER_2018.items()},
    **{f"{name}2+": refined(twin, refine_decompose) for name, twin in PAPER_2018.items()},
    **{f"{name}3+": refined(twin, refine_iterative) for name, twin in PAPER_2018.items()},
    "tfrp1": tfrp1,
    "tfrp": refined(tfrp1, phase2),
    "centroid": cbfs_nc,
    "centroid-phase2": refined(cbfs_nc, partial(phase2, part=in_rows(cbfs_nc))),
    "diameter": diameter,
    "diameter-phase2": refined(diameter, partial(phase2, part=in_rows(diameter))),
    "mst": mst,
    "mdav-mhm": mdav_mhm,
    "hilbert": hilbert_cut,
    "optimal-1d": optimal,
}
