"""One input for each live figure, given to `attend.compute(name, input)` on the built site.

The parity tests (tests/live) compare results with torch; here it is enough that the weights of the page arrive and
that what comes out is made of finite numbers.
"""

import math

SAMPLES = {
    "priors": {"x": 0.5},
