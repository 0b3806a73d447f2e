"""Configuration of the site: `make docs` builds it, strictly, and no page asks another machine."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))

import shoal  # noqa: E402

# what is said while the site is built is said by Sphinx: no stages of runs, no words of kernels
for name in ("shoal", "traitlets"):
    logging.getLogger(name).setLevel(logging.WARNING)
KERNELS = HERE / "_build" / "ipython"
(KERNELS / "profile_default").mkdir(parents=True, exist_ok=True)
(KERNELS / "profile_default" / "ipython_kernel_config.py").write_text(
    "get_config().IPKernelApp.log_level = 40\n", encoding="utf-8"
)
os.environ["IPYTHONDIR"] = str(KERNELS)

project = "Shoal"
author = "The Shoal developers"
copyright = "the Shoal developers, Apache-2.0"  # noqa: A001
version = release = shoal.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "mathml",
    "generated",
    "code_links",
    "dates",
]
exclude_patterns = [
    "_build",
    "_ext",
    "**.ipynb_checkpoints",
    "records/labels",
    "records/prices",
    "jobs/stored",
]
root_doc = "index"

# MyST and notebooks: text files whose code cells run when the site is built
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / ".jupyter_cache")
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]  # charts say themselves as Vega-Lite, too
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# reference
autodoc_typehints = "none"  # the numpydoc sections say the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()
nitpicky = False

html_theme = "furo"
html_title = f"Shoal {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_logo = "_static/mark.svg"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}
templates_path: list[str] = []
