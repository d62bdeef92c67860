"""The glossary: a term is bold where its page first names it, and linked wherever a later page first uses it."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from attend_book.site import course

GLOSSARY = "book/glossary"
# Where a word is no running text, it is left as it stands; in a citation a title is quoted, and Ori Ram is no model.
FIXED = (nodes.reference, nodes.title, nodes.literal, nodes.FixedTextElement, nodes.math, nodes.strong, nodes.table)
FIXED += (nodes.citation,)


@dataclass(frozen=True, eq=False)
class Term:
    """One entry of the glossary, as its file has it. `taught` is the docname of the page that defines it."""

    term: str
    says: str
    taught: str
    also: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    homonym: bool = False

    @property
    def anchor(self):
        """The id of the term, on its page and in the glossary."""
        return nodes.make_id(f"term-{self.term}")

    @property
    def names(self):
        """Every word for it."""
        return (self.term, *self.also, *self.forms)


def key(word):
    """A word as it is looked up: small letters, no hyphens, no plural s."""
    return re.sub(r"[\s-]+", " ", word.strip().lower()).removesuffix("s")


class Glossary:
    """The terms of the book, in the order of the file."""

    def __init__(self, terms):
        self.terms = tuple(terms)
        self.named = {}
        for term in self.terms:
            for name in term.names:
                if (other := self.named.setdefault(key(name), term)) is not term:
                    raise ExtensionError(f"glossary: {name!r} names two terms, {other.term!r} and {term.term!r}")

    @cached_property
    def _pattern(self):
        plain = [term for term in self.terms if not term.homonym]
        words = {key(word) for term in plain for word in (*term.names, *term.apart)}
        either = "|".join(re.escape(word).replace(r"\ ", r"[\s-]") for word in sorted(words, key=len, reverse=True))
        return re.compile(rf"(?<![\w-])(?:{either})s?(?![\w-])", re.IGNORECASE)

    def uses(self, text):
        """(start, end, term) for each term that a text uses; homonyms are passed over."""
        for match in self._pattern.finditer(text):
            if term := self.named.get(key(match[0])):
                yield match.start(), match.end(), term

    def defined(self, text, docname):
        """The term whose name a bold text is, on the page that teaches it; else None."""
        term = self.named.get(key(text))
        return term if term and term.taught == docname else None


def read(srcdir):
    """The book's glossary; a book may have none. Raises ExtensionError for an entry that is not one."""
    path = Path(srcdir) / f"{GLOSSARY}.yml"
    entries = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else []
    try:
        return Glossary(Term(**entry | {"taught": f"chapters/{entry['taught']}"}) for entry in entries)
    except (TypeError, KeyError) as error:
        raise ExtensionError(f"{path.name}: an entry has a field too many or too few: {error}") from error


class Linked(SphinxPostTransform):
    """On every page: the place of each term that it defines, and a link from the first use of every earlier one."""

    default_priority = 850

    def run(self, **kwargs):
        """Mark definitions first, then link uses."""
        glossary, docname = self.env.attend_glossary, self.env.docname
        order = [name for _, names in course.parts(self.config.external_site_map) for name in names]
        if docname == GLOSSARY:
            self.lead_to_places(glossary)
        elif docname in order:
            taught = order[: order.index(docname)]
            self.define(glossary, docname)
            self.link(glossary, {term for term in glossary.terms if term.taught in taught})

    def lead_to_places(self, glossary):
        """In the glossary itself, the link to a page leads to the place of the term."""
        for item in self.document.findall(nodes.definition_list_item):
            *_, page = item.findall(nodes.reference)
            page["refuri"] += f"#{glossary.named[key(item[0][0].astext())].anchor}"

    def define(self, glossary, docname):
        """The first bold name of each term that the page teaches is its place."""
        found = set()
        for bold in self.document.findall(nodes.strong):
            term = glossary.defined(bold.astext(), docname)
            if term and term not in found:
                found.add(term)
                bold["ids"] = [term.anchor]
                bold[:] = [self.reference(term, bold.astext())]
                # For the search: whoever asks for the term is led to this place before any page that uses it.
                entries = [("single", name, term.anchor, "main", None) for name in term.names]
                self.document += addnodes.index(entries=entries)

    def link(self, glossary, wanted):
        """Link the first use of each wanted term in running text."""
        for text in list(self.document.findall(nodes.Text)):
            if any(isinstance(node, FIXED) or "claim" in node.get("classes", ()) for node in above(text)):
                continue
            words, parts, done = text.astext(), [], 0
            for start, end, term in glossary.uses(words):
                if term in wanted:
                    wanted.discard(term)
                    parts += [nodes.Text(words[done:start]), self.reference(term, words[start:end])]
                    done = end
            if parts:
                place = next(i for i, child in enumerate(text.parent) if child is text)
                text.parent[place : place + 1] = [*parts, nodes.Text(words[done:])]

    def reference(self, term, words):
        """A link to the term in the glossary."""
        link = self.app.builder.get_relative_uri(self.env.docname, GLOSSARY)
        return nodes.reference("", words, refuri=f"{link}#{term.anchor}", classes=["term"])


def above(node):
    """The elements around a node."""
    while node := node.parent:
        yield node


class Terms(SphinxDirective):
    """`{terms}`: all terms in the order of the alphabet, each with its definition and the page that teaches it."""

    def run(self):
        """A definition list."""
        self.env.note_dependency(f"{self.env.srcdir}/{GLOSSARY}.yml")
        listed = nodes.definition_list(classes=["glossary"])
        for term in sorted(self.env.attend_glossary.terms, key=lambda term: key(term.term)):
            head = nodes.term("", term.term, ids=[term.anchor], names=[term.anchor])
            if term.also:
                head += nodes.inline("", f" also {', '.join(term.also)}", classes=["also"])
            self.state.document.note_explicit_target(head)
            page = course.page(self.env.srcdir, term.taught)
            parsed, messages = self.state.inline_text(f"{term.says} [{page.title}](/{term.taught})", self.lineno)
            meaning = nodes.definition("", nodes.paragraph("", "", *parsed, *messages))
            listed += nodes.definition_list_item("", head, meaning)
        return [listed]


def start(app, env, _added, _changed, _removed):
    """Read the glossary before any page is read."""
    env.attend_glossary = read(app.srcdir)
    order = {name for _, names in course.parts(app.config.external_site_map) for name in names}
    if lost := [f"{term.taught} ({term.term})" for term in env.attend_glossary.terms if term.taught not in order]:
        raise ExtensionError(f"_toc.yml does not name pages that by {GLOSSARY}.yml teach a term: {', '.join(lost)}")
    return []


def setup(app):
    """Register the directive, the links, and the glossary itself."""
    app.add_directive("terms", Terms)
    app.add_post_transform(Linked)
    app.connect("env-get-outdated", start)
