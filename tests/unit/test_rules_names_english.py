"""What the rules find of named things in plain English statements."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jiyi.mentions import Edge, Mention
from jiyi.rules import mentioned
from jiyi.types import Message

SAID_AT = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)


def message(text: str) -> Message:
    return Message("m", "s", "user", text, created_at=SAID_AT)


def names(text: str) -> list[str]:
    return [one.name for one in mentioned(message(text)).mentions]


def edges(text: str) -> list[tuple[str, str, str]]:
    return [
        (one.head, ("no longer " if one.ends else "not " if one.negated else "") + one.relation, one.tail)
        for one in mentioned(message(text)).edges
    ]


def the(text: str, name: str) -> Mention:
    return next(one for one in mentioned(message(text)).mentions if one.name == name)


def edge(text: str) -> Edge:
    (one,) = mentioned(message(text)).edges
    return one


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Meridian Grid Authority (MGA) runs the east substation.", ["Meridian Grid Authority", "MGA"]),
        ("MGA approved the budget.", ["MGA"]),
        ("mga asked for a new quote", ["mga"]),
        ("ＭＧＡ 的合同下月到期。", ["ＭＧＡ"]),
        ("We order RX-2217 for the pump and RX-2219 for the fan; MGB is the insurer.", ["RX-2217", "RX-2219", "MGB"]),
        ("Meridian Grid Authority (MGA) is slow. I wrote to mga today.", ["Meridian Grid Authority", "MGA", "mga"]),
        ("Yesterday Tom and Anna went to the Bank of England.", ["Tom", "Anna", "Bank of England"]),
        ("I wrote to the Department of Health and Social Care.", ["Department of Health and Social Care"]),
        (
            "They moved from Johnson & Sons to Ludwig van Beethoven Street.",
            ["Johnson & Sons", "Ludwig van Beethoven Street"],
        ),
        ("The site is written in rust and node.js.", ["rust", "node.js"]),
        ("Our backend is fastapi.", ["fastapi"]),
        ("I saw Dr. Chen and J. K. Rowling.", ["Chen", "J. K. Rowling"]),
        ("We flew with British Airways to New York.", ["British Airways", "New York"]),
        ("I told GitHub and OpenAI about it.", ["GitHub", "OpenAI"]),
        ("We met at Tom's and talked.", ["Tom"]),
        ("The Starling team is here.", ["Starling"]),
        ('I saw "The Pursuit of Happyness" yesterday.', ["The Pursuit of Happyness"]),
        ("Starling is fast. I like Starling.", ["Starling", "Starling"]),
    ],
)
def test_names(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Work is hard. Dinner was great. Traffic is bad.",
        "We meet on Monday in March, and again at Christmas.",
        "I speak English and some Chinese. I'm Italian.",
        "Great Work! That Is Awesome, My Friend!",
        "THIS IS ANNA AND SHE WORKS AT ACME.",
        "My order number is RX-2217.",
        "Should Anna work at Acme?",
        "If Anna works at Acme, I want to know.",
        "Maybe Anna works at Acme.",
        "Please tell Anna that Tom works at Acme.",
        '"Anna works at Acme and lives in Oslo," she said.',
        "```\nAnna works at Acme\n```",
        "> Anna works at Acme",
        "Write a story in which Anna works at Acme.",
        "Translate this: Anna works at Acme.",
        "The CEO told HR to send the PDF via the API, OK?",
        "Mom and Dad are here.",
        "I have an MBA and watch TV.",
        "Feedback from marketing called for changes.",
        "Invoices from accounting arrived.",
        "Someone from sales called.",
    ],
)
def test_no_names(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I report to the head of logistics.", ("user", "reports_to", "head of logistics")),
        ("Blue Harbor Logistics acquired Grey Robotics.", ("Blue Harbor Logistics", "acquired", "Grey Robotics")),
        (
            "Grey Robotics was acquired by Blue Harbor Logistics.",
            ("Blue Harbor Logistics", "acquired", "Grey Robotics"),
        ),
        ("Black Heron Tech has a subsidiary called White Whale.", ("White Whale", "subsidiary_of", "Black Heron Tech")),
        ("White Whale is a subsidiary of Black Heron Tech.", ("White Whale", "subsidiary_of", "Black Heron Tech")),
        ("Black Heron's subsidiary is White Whale.", ("White Whale", "subsidiary_of", "Black Heron")),
        ("Acme's parent company is Globex.", ("Acme", "subsidiary_of", "Globex")),
        ("Starling's backend is FastAPI.", ("Starling", "backend", "FastAPI")),
        ("The backend of Starling is FastAPI.", ("Starling", "backend", "FastAPI")),
        ("FastAPI is Starling's backend.", ("Starling", "backend", "FastAPI")),
        ("FastAPI is the backend of Starling.", ("Starling", "backend", "FastAPI")),
        ("FastAPI is written in Python.", ("FastAPI", "uses", "Python")),
        ("Starling is built with the FastAPI framework.", ("Starling", "uses", "FastAPI")),
        ("FastAPI depends on Starlette.", ("FastAPI", "depends_on", "Starlette")),
        ("Moyu started the project Starling.", ("Moyu", "created", "Starling")),
        ("Starling was founded by Moyu.", ("Moyu", "created", "Starling")),
        ("Moyu is the founder of Starling.", ("Moyu", "created", "Starling")),
        ("Lin Wei writes under the pen name Moyu.", ("Lin Wei", "pen_name", "Moyu")),
        ("Lin Wei's pen name is Moyu.", ("Lin Wei", "pen_name", "Moyu")),
        ("Moyu is the pen name of Lin Wei.", ("Lin Wei", "pen_name", "Moyu")),
        ("Moyu is Lin Wei's pen name.", ("Lin Wei", "pen_name", "Moyu")),
        ("Lin Wei publishes as Moyu.", ("Lin Wei", "pen_name", "Moyu")),
        ("Anna Berg, known by her pen name Moyu, is a novelist.", ("Anna Berg", "pen_name", "Moyu")),
        ("I write under the pen name Moyu.", ("user", "pen_name", "Moyu")),
        ("My pen name is Moyu.", ("user", "pen_name", "Moyu")),
        ("I work at Northwind as a buyer.", ("user", "works_at", "Northwind")),
        ("I no longer work at Northwind.", ("user", "no longer works_at", "Northwind")),
        ("I used to work at Northwind.", ("user", "no longer works_at", "Northwind")),
        ("I live in Lisbon.", ("user", "lives_in", "Lisbon")),
        ("I'm from Norway.", ("user", "from", "Norway")),
        ("My doctor is Dr. Chen.", ("Chen", "doctor_of", "user")),
        ("My boss is Anna.", ("user", "reports_to", "Anna")),
        ("Anna is my boss.", ("user", "reports_to", "Anna")),
        ("Anna isn't my boss.", ("user", "not reports_to", "Anna")),
        ("Tom is no longer my boss.", ("user", "no longer reports_to", "Tom")),
        ("Anna's boss is Tom.", ("Anna", "reports_to", "Tom")),
        ("My wife Anna loves tea.", ("user", "partner_of", "Anna")),
        ("My mother is called Berit.", ("Berit", "parent_of", "user")),
        ("My son Leo is five.", ("user", "parent_of", "Leo")),
        ("Tom, my brother, came by.", ("user", "sibling_of", "Tom")),
        ("Our dog Fenwick is old.", ("user", "pet", "Fenwick")),
        ("Tom is Anna's husband.", ("Anna", "partner_of", "Tom")),
        ("Anna and Tom are siblings.", ("Anna", "sibling_of", "Tom")),
        ("Anna doesn't work at Northwind anymore.", ("Anna", "no longer works_at", "Northwind")),
        ("Anna doesn't work at Northwind.", ("Anna", "not works_at", "Northwind")),
        ("Acme hasn't acquired Globex yet.", ("Acme", "not acquired", "Globex")),
        ("Starling isn't written in Python.", ("Starling", "not uses", "Python")),
        ("Anna left Alder Labs.", ("Anna", "no longer works_at", "Alder Labs")),
        ("Tom stopped using Slack.", ("Tom", "no longer uses", "Slack")),
        ("Alder Labs hired Anna Berg.", ("Anna Berg", "works_at", "Alder Labs")),
        ("Tom is a nurse at Mercy Hospital.", ("Tom", "works_at", "Mercy Hospital")),
        ("Anna is the CEO of Alder Labs.", ("Anna", "leads", "Alder Labs")),
        ("I'm the founder of Starling.", ("user", "created", "Starling")),
        ("MySQL was replaced by PostgreSQL.", ("PostgreSQL", "replaces", "MySQL")),
        ("We replaced MySQL with PostgreSQL.", None),
        ("Dr. Chen prescribed Metformin.", ("Chen", "prescribed", "Metformin")),
        ("Acme, acquired by Globex in 2021, makes pumps.", ("Globex", "acquired", "Acme")),
        ("Alder Labs is based in Oslo.", ("Alder Labs", "located_in", "Oslo")),
        ("I joined the Oslo Chess Association.", ("user", "member_of", "Oslo Chess Association")),
        ("I joined Alder Labs in May.", ("user", "works_at", "Alder Labs")),
        ("I have a sister called Mia.", ("user", "sibling_of", "Mia")),
        ("The Starling project's backend is FastAPI.", ("Starling", "backend", "FastAPI")),
        ("FastAPI is a framework written in Python.", ("FastAPI", "uses", "Python")),
        ("Lin Wei's nom de plume is Moyu.", ("Lin Wei", "pen_name", "Moyu")),
        ("Lin Wei uses the pen name Moyu online.", ("Lin Wei", "pen_name", "Moyu")),
        ("I take Metformin 500 mg every morning.", ("user", "takes", "Metformin")),
        ("Northwind, also known as NW, supplies Acme.", ("NW", "supplies", "Acme")),
        ("Oslo is the capital of Norway.", ("Norway", "capital", "Oslo")),
        ("Nightjar's backend is written in Rust.", ("Nightjar", "uses", "Rust")),
        ("Nightjar's backend is written in rust.", ("Nightjar", "uses", "rust")),
        ("The backend of Nightjar is written in Rust.", ("Nightjar", "uses", "Rust")),
        ("Nightjar's backend is no longer written in Python.", ("Nightjar", "no longer uses", "Python")),
        ("Nightjar is no longer written in Python.", ("Nightjar", "no longer uses", "Python")),
        ("Nightjar used to be built with Flask.", ("Nightjar", "no longer uses", "Flask")),
        ("I take amlodipine.", ("user", "takes", "amlodipine")),
        ("I'm on metformin.", ("user", "takes", "metformin")),
        ("I started taking metformin in May.", ("user", "takes", "metformin")),
        ("I stopped taking ibuprofen.", ("user", "no longer takes", "ibuprofen")),
        ("I no longer take ibuprofen.", ("user", "no longer takes", "ibuprofen")),
        ("I don't take ibuprofen.", ("user", "not takes", "ibuprofen")),
        ("Dr. Chen prescribed metformin.", ("Chen", "prescribed", "metformin")),
        ("Dr. Chen prescribed me metformin.", ("Chen", "prescribed", "metformin")),
        ("My doctor prescribed metformin.", ("My doctor", "prescribed", "metformin")),
        ("My mother takes amlodipine.", ("My mother", "takes", "amlodipine")),
    ],
)
def test_a_relation(text: str, found: tuple[str, str, str] | None) -> None:
    assert edges(text) == ([found] if found else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Lin Wei writes under the pen name Moyu. Moyu started the project Starling. Starling's backend is FastAPI. "
            "FastAPI is written in Python.",
            ["Lin Wei pen_name Moyu", "Moyu created Starling", "Starling backend FastAPI", "FastAPI uses Python"],
        ),
        (
            "Lin Wei, who writes as Moyu, founded the Starling project, which uses FastAPI.",
            ["Lin Wei pen_name Moyu", "Lin Wei created Starling", "Starling uses FastAPI"],
        ),
        ("Under the pen name Moyu, Lin Wei founded Starling.", ["Lin Wei pen_name Moyu", "Lin Wei created Starling"]),
        ("Starling uses FastAPI as its backend.", ["Starling uses FastAPI", "Starling backend FastAPI"]),
        ("Anna founded Starling and works at Northwind.", ["Anna created Starling", "Anna works_at Northwind"]),
        ("Anna and Tom founded Starling.", ["Tom created Starling", "Anna created Starling"]),
        (
            "Starling uses FastAPI, PostgreSQL and Redis.",
            [f"Starling uses {x}" for x in ("FastAPI", "PostgreSQL", "Redis")],
        ),
        ("Starling switched from MySQL to PostgreSQL.", ["Starling no longer uses MySQL", "Starling uses PostgreSQL"]),
        ("My friends Anna and Bo live far away.", ["user friend_of Anna", "user friend_of Bo"]),
        ("My wife Anna works at Northwind.", ["user partner_of Anna", "Anna works_at Northwind"]),
        ("My sister Mia goes to Linden Hill Primary.", ["user sibling_of Mia", "Mia studies_at Linden Hill Primary"]),
    ],
)
def test_several_relations(text: str, found: list[str]) -> None:
    assert sorted(map(" ".join, edges(text))) == sorted(found)


@pytest.mark.parametrize(
    "text",
    [
        "He founded Starling. She works at Northwind.",
        "Anna might work at Northwind.",
        "Tom says Anna works at Acme.",
        "I think Anna works at Northwind.",
        "Tom wants to acquire Globex.",
        "Acme will acquire Globex Corp.",
        "Acme plans to buy Globex Corp.",
        "The CEO of Acme left Northwind Inc.",
        "Anna's boss uses Slack.",
        "Anna uses Python scripts.",
        "Acme acquired Globex shares.",
        "Anna was my manager.",
        "Is Anna the CEO of Acme?",
        "Anna met Tom.",
        "I bought a MacBook Pro at Target.",
        "Anna left Paris.",
        "The bridge was built in London.",
        "I moved to a small flat. I live in my car.",
        "I work at night and at home.",
        "My wife is Italian. My boss is Tom's cousin.",
        "The owner of Anna's house is Tom.",
        "I went to Oslo with Anna.",
        "We use Slack at work.",
        "Anna almost acquired Globex.",
        "I live near Oslo.",
        "Acme would have acquired Globex.",
        "Tom's wife works at Globex.",
        "Anna told me that Globex was acquired by Acme.",
        "Starling was part of Heron.",
        "I worked with Python.",
        "Our backend is written in Rust.",
        "The backend of our app is written in Rust.",
        "Nightjar's backend is old and slow.",
        "Nightjar's backend manual is written in English.",
        "The owner of Nightjar is written in Rust.",
        "Is Nightjar no longer written in Python?",
        "I take control, and I take someone with me.",
        "I take caffeine and vitamins as part of the routine.",
        "I bought ibuprofen.",
        "Should I take amlodipine?",
        "If I take metformin, I feel sick.",
        "The doctor said to stop taking ibuprofen.",
        "My mother says I take amlodipine.",
        "My mother takes the bus. My doctor prescribed rest.",
        "My former company was Acme.",
        "My company is not Acme.",
        "He said that my company is called Acme.",
        "My company is Acme's client.",
        "I would never write stories under the pen name Rhea.",
        "My ex-editor is Tom Hale.",
        "Feedback from marketing is good. Emails from accounting came late.",
    ],
)
def test_no_relation(text: str) -> None:
    assert edges(text) == []


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Meridian Grid Authority (MGA) runs the east substation.", ("Meridian Grid Authority", "MGA")),
        ("MGA (Meridian Grid Authority) runs it.", ("MGA", "Meridian Grid Authority")),
        ("Northwind, also known as NW, is closed.", ("Northwind", "NW")),
        ("Northwind (aka Norwind) is closed.", ("Northwind", "Norwind")),
        ("I met Alexander, Alex for short.", ("Alexander", "Alex")),
        ("IBM stands for International Business Machines.", ("IBM", "International Business Machines")),
        ("Moyu's real name is Anna Berg.", ("Moyu", "Anna Berg")),
        ('The Salt Ledger will now be called "Ledger of Salt".', ("Salt Ledger", "Ledger of Salt")),
        ("Last May Northwind has been renamed Southwind.", ("Northwind", "Southwind")),
        ("I'm Lin Wei.", ("user", "Lin Wei")),
        ("My name is Lin Wei.", ("user", "Lin Wei")),
    ],
)
def test_an_alias(text: str, pair: tuple[str, str]) -> None:
    (one,) = mentioned(message(text)).aliases
    assert one.names == pair


@pytest.mark.parametrize(
    "text",
    [
        "Anna (MGA) called.",
        "Anna called Tom.",
        "Northwind is not known as NW.",
        "I think Northwind will not be called Southwind.",
        "I think Northwind will be called by Southwind.",
        "Anna and Tom came.",
        "Lin Wei writes under the pen name Moyu.",
        "My name isn't Lin Wei.",
        "Meridian Grid Authority (MGB) is another.",
    ],
)
def test_no_alias(text: str) -> None:
    assert mentioned(message(text)).aliases == ()


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("I called Acme Ltd.", "Acme Ltd", "organisation"),
        ("I wrote to the Bank of England.", "Bank of England", "organisation"),
        ("I work on the Starling project.", "Starling", "project"),
        ("They use a framework called Zephyr.", "Zephyr", "technology"),
        ("I saw Mr. Smith.", "Smith", "person"),
        ("My brother Tom came.", "Tom", "person"),
        ("We ordered RX-2217.", "RX-2217", "product"),
        ("I moved to Oslo.", "Oslo", "place"),
        ("I got it from FastAPI.", "FastAPI", "technology"),
        ("Good luck with the project, Kestrel!", "Kestrel", ""),
        ("I met Kestrel.", "Kestrel", ""),
    ],
)
def test_a_type(text: str, name: str, type_: str) -> None:
    assert the(text, name).type == type_


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("My brother Tom came.", "Tom", "My brother"),
        ("I asked Tom from accounting.", "Tom", "from accounting"),
        ("I asked Tom from accounting for the invoices.", "Tom", "from accounting"),
        ("Tom from accounting called.", "Tom", "from accounting"),
        ("Tom from accounting sends the invoices.", "Tom", "from accounting"),
        ("Maria from accounting pays the invoices.", "Maria", "from accounting"),
        ("My agent is Paul Greene.", "Paul Greene", "My agent"),
        ("I saw Dr. Chen.", "Chen", "Dr."),
        ("Tom, my neighbour, came.", "Tom", "my neighbour"),
        ("I'm trying to plan a party for my sister Emma's birthday.", "Emma", "my sister"),
        ("I saw Tom from Oslo.", "Tom", ""),
    ],
)
def test_a_role(text: str, name: str, role: str) -> None:
    assert the(text, name).role == role


@pytest.mark.parametrize(
    ("text", "name", "trait"),
    [
        ("MGB is the insurer.", "MGB", "the insurer"),
        ("I met Anna, our chief engineer, today.", "Anna", "our chief engineer"),
        ("We order RX-2217 for the pump.", "RX-2217", "for the pump"),
    ],
)
def test_a_trait(text: str, name: str, trait: str) -> None:
    one = the(text, name)
    assert one.traits == {"": trait}
    assert trait in one.quote


def test_namesakes_of_one_message_have_each_their_role() -> None:
    found = mentioned(message("I asked Tom from accounting for the invoices. My brother Tom was there too.")).mentions
    assert [one.role for one in found if one.name == "Tom"] == ["from accounting", "My brother"]


def test_dates_stand_with_the_relation() -> None:
    assert edge("I moved to Oslo last week.").valid_from == datetime(2026, 3, 9, tzinfo=UTC)
    acquired = edge("Blue Harbor Logistics acquired Grey Robotics last year.")
    assert (acquired.event_from, acquired.event_to) == (
        datetime(2025, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert acquired.valid_from is None


def test_the_quote_is_the_clause_that_says_so() -> None:
    text = "It rained. Anna, our chief engineer, joined Alder Labs in March 2024, and I stayed."
    one = edge(text)
    assert one.quote == "Anna, our chief engineer, joined Alder Labs in March 2024"
    assert one.said.endswith("joined")


def test_others_say_nothing_of_the_users_world() -> None:
    assert mentioned(Message("m", "s", "assistant", "Anna works at Alder Labs.")).mentions == ()


def test_a_statement_is_read_too() -> None:
    found = mentioned(Message("m", "", "user", "Anna works at Alder Labs.", kind="statement"))
    assert [(one.head, one.relation, one.tail) for one in found.edges] == [("Anna", "works_at", "Alder Labs")]


def test_both_ends_of_a_long_message_are_read_with_their_places() -> None:
    text = "Anna works at Alder Labs.\n" + "x " * 10_000 + "\nTom works at Globex Corp."
    found = mentioned(message(text))
    assert [text[one.start : one.end] for one in found.mentions] == ["Anna", "Alder Labs", "Tom", "Globex Corp"]
    assert [one.head for one in found.edges] == ["Anna", "Tom"]


def test_the_time_of_a_clause_is_not_that_of_a_role_in_it() -> None:
    friend, moved = mentioned(message("My best friend Bo moved to Berlin last month.")).edges
    assert (friend.relation, friend.event_from, friend.valid_from) == ("friend_of", None, None)
    assert (moved.relation, moved.valid_from) == ("lives_in", datetime(2026, 2, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("I write crime novels under the pen name Rhea Stone.", ("user", "pen_name", "Rhea Stone")),
        ("My name is Odile, and I write thrillers under the pen name Rhea.", ("user", "pen_name", "Rhea")),
        ("Chen Mo writes fantasy under the pen name Moyu.", ("Chen Mo", "pen_name", "Moyu")),
        ("My editor is Tamsin Okafor.", ("user", "editor", "Tamsin Okafor")),
        ("Paul Greene is no longer my agent.", ("user", "no longer agent", "Paul Greene")),
        (
            "Our company is called Brightwell Instruments, we make scales.",
            ("user", "works_at", "Brightwell Instruments"),
        ),
        ("Tamsin left Larkspur Press and joined Quillon Books.", ("Tamsin", "works_at", "Quillon Books")),
    ],
)
def test_a_relation_that_a_novelist_or_a_buyer_states(text: str, edge: tuple[str, str, str]) -> None:
    assert edge in edges(text)
