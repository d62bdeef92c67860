"""Valid calls of attend.tasks.anagrams."""

from attend.tasks import anagrams

CALLS = {anagrams.alike: {"n": 203}}
GOOD = {anagrams.alike: {"n": {"zero"}}}
