"""The site is built without a warning, and needs nothing from elsewhere."""

import os
import re
import subprocess
import sys

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT
from tests.viewing.browser import open_page

pytest.importorskip("mkdocs", reason="needs the extra 'docs'")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_has_a_page_for_each(site):
    assert len(list(site.rglob("*.html"))) > len(PAGES)
    source = site / "repository" / "ipc_articulation" / "engine" / "terms" / "registry.py.html"
    assert "constitutions and constraints" in source.read_text(encoding="utf-8")
    readme = (site / "repository" / "index.html").read_text(encoding="utf-8")
    assert 'src="../images/panda_push.png"' in readme
    assert 'href="CONTRIBUTING.html"' in readme


@pytest.mark.slow
def test_nothing_is_fetched_when_it_is_read(site):
    fetched = re.compile(r'<(?:script|img|iframe|link rel="?stylesheet)[^>]*(?:src|href)="?(https?:[^" >]*)')
    found = {url for page in site.rglob("*.html") for url in fetched.findall(page.read_text(encoding="utf-8"))}
    assert found == set()


@pytest.mark.slow
def test_formulas_are_drawn(site):
    start = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
    for page in PAGES:
        source = re.sub(r"```.*?```|`.*?`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        name = "index" if page.stem == "README" else page.stem
        built = (site / page.relative_to(DOCS).parent / f"{name}.html").read_text(encoding="utf-8")
        assert built.count(start) == source.count("$$") / 2, page
        assert re.findall(r"<m[a-z]+[^>]*>(\\[a-z]+|&(?:amp;)?)</m", built) == [], (
            page
        )  # what the converter did not know


@pytest.mark.slow
def test_the_search_works_in_pages_opened_from_a_folder(site):
    with open_page() as (page, errors):
        page.set_viewport_size({"width": 1300, "height": 800})
        page.goto((site / "constitutions" / "contact.html").as_uri())
        page.locator(".md-search__input").click()
        page.keyboard.type("friction")
        first = page.locator(".md-search-result__link").first
        first.wait_for(timeout=60_000)
        found = (first.get_attribute("href") or "").partition("?")[0]
        assert found in [f"{site.as_uri()}/{page}" for page in ("friction.html", "constitutions/friction.html")]
        assert errors == []
