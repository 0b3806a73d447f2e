"""What every measure means; the documentation's page is made of these, reports quote them."""

from shoal.measures.risk.definitions import RISK
from shoal.measures.utility.definitions import UTILITY

DEFINITIONS = {definition.key: definition for definition in (*UTILITY, *RISK)}
