"""A csv file that is larger than memory, read piece by piece as strictly as one that is not.

`whole.py` gives the text of a file and hashes what it reads; `cut.py` cuts it where records end
and looks at the structure of each piece; `whole.py` joins the facts of the pieces, decides what
each column of the whole file is, and reads the pieces again as that.
"""

from shoal.table.csv_pieces.whole import SIZE as SIZE
from shoal.table.csv_pieces.whole import CsvPieces as CsvPieces
from shoal.table.csv_pieces.whole import Outline as Outline
