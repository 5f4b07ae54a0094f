"""What relations between entities are called, in which direction they hold, and how they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from jiyi.text import flat

Values: TypeAlias = Literal["one", "many"]


@dataclass(frozen=True, slots=True)
class RelationType:
    """A relation that has a name.

    Attributes:
        name: English, small letters, words joined by ``_``; reads from head to tail ("user works_at Alder Labs").
        values: ``one`` where a new tail ends the old one of the same head, ``many`` where they stand side by side.
        en, zh: how a person reads it between head and tail.
        words: other ways to call it in this direction, both languages.
        reverse: ways to call it when head and tail stand the other way round ("has subsidiary").
        head, tail: what the ends are, of ``mentions.TYPES``; "" for anything.
        attribute: the attribute of facts that says the same of the user, "" for none.
    """

    name: str
    en: str
    zh: str
    values: Values = "many"
    words: tuple[str, ...] = ()
    reverse: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""
    attribute: str = ""


def _relation(
    name: str, en: str, zh: str, values: Values = "many", *, words: str = "", reverse: str = "", **ends: str
) -> RelationType:
    """One relation; its words stand in one text, with semicolons between them."""
    return RelationType(name, en, zh, values, _several(words), _several(reverse), **ends)


def _several(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(";") if word.strip())


_KNOWN = (
    _relation(
        "works_at",
        "works at",
        "就职于",
        "one",
        words=("work at; works for; employed by; employer; joined; 任职于; 供职于; 在…工作; 在…上班; 单位; 公司; 加入"),
        reverse="employs; 雇用; 员工",
        head="person",
        tail="organisation",
        attribute="employer",
    ),
    _relation(
        "reports_to",
        "reports to",
        "汇报给",
        "one",
        words="report to; boss; supervisor; 上级; 上司; 老板; 领导",
        reverse="manages; supervises; 下属; 管理",
        head="person",
        tail="person",
    ),
    _relation(
        "leads",
        "leads",
        "负责",
        words="heads; runs; in charge of; manages project; directs; 领导; 主管; 主持",
        reverse="led by; headed by; run by; 负责人; 负责人是; 由…负责",
        head="person",
    ),
    _relation(
        "studies_at",
        "studies at",
        "就读于",
        "one",
        words="study at; student at; school; 上学; 毕业于; graduated from",
        head="person",
        tail="organisation",
        attribute="school",
    ),
    _relation(
        "lives_in",
        "lives in",
        "住在",
        "one",
        words="live in; home; resides in; 定居; 居住在",
        head="person",
        tail="place",
        attribute="home",
    ),
    _relation(
        "from",
        "is from",
        "来自",
        "one",
        words="comes from; born in; origin; 老家; 出生于",
        head="person",
        tail="place",
        attribute="origin",
    ),
    _relation(
        "located_in",
        "is in",
        "位于",
        "one",
        words="located in; based in; headquartered in; is located in; 坐落于; 总部在; 在",
        reverse="houses; hosts",
        tail="place",
    ),
    _relation(
        "partner_of",
        "is the partner of",
        "的伴侣是",
        "one",
        words=(
            "partner; married to; wife; husband; spouse; girlfriend; boyfriend; 妻子; 丈夫; 老婆; 老公; "
            "爱人; 女朋友; 男朋友; 结婚"
        ),
        head="person",
        tail="person",
        attribute="partner",
    ),
    _relation(
        "parent_of",
        "is a parent of",
        "的孩子是",
        words="father of; mother of; child; son; daughter; has child; 儿子; 女儿; 孩子",
        reverse="child of; son of; daughter of; parent; father; mother; 爸爸; 妈妈; 父亲; 母亲",
        head="person",
        tail="person",
    ),
    _relation(
        "sibling_of",
        "is a sibling of",
        "的兄弟姐妹是",
        words="brother; sister; brother of; sister of; 哥哥; 弟弟; 姐姐; 妹妹",
        head="person",
        tail="person",
    ),
    _relation(
        "relative_of",
        "is related to",
        "的亲戚是",
        words=(
            "relative; niece; nephew; uncle; aunt; cousin; grandmother; grandfather; 侄女; 侄子; 外甥; 外甥女; "
            "叔叔; 阿姨; 表哥; 表妹; 奶奶; 爷爷"
        ),
        head="person",
        tail="person",
    ),
    _relation(
        "friend_of",
        "is a friend of",
        "的朋友是",
        words="friend; friends with; 朋友; 好友",
        head="person",
        tail="person",
    ),
    _relation(
        "colleague_of",
        "is a colleague of",
        "的同事是",
        words="colleague; coworker; co-worker; works with; teammate; 同事; 搭档",
        head="person",
        tail="person",
    ),
    _relation("pet", "has the pet", "养了", words="owns pet; 宠物", reverse="pet of", head="person"),
    _relation(
        "pen_name",
        "has the pen name",
        "的笔名是",
        words=(
            "pen name; writes as; writes under the name; publishes as; stage name; nom de plume; "
            "pseudonym; 笔名; 艺名; 化名; 以…为笔名"
        ),
        reverse="pen name of; 是…的笔名",
        head="person",
    ),
    _relation(
        "created",
        "created",
        "创建了",
        words=(
            "founded; started; built; wrote; authored; made; developed; launched; invented; designed; "
            "maintains; 创办; 创立; 发起; 开发; 写; 撰写; 编写; 做; 设计; 创作; 维护"
        ),
        reverse=(
            "created by; founded by; written by; built by; developed by; made by; designed by; author; "
            "founder; creator; 作者; 创始人; 开发者; 由…创建; 由…开发"
        ),
    ),
    _relation(
        "works_on",
        "works on",
        "参与",
        words="working on; contributes to; member of project; 参加项目; 做项目",
        reverse="worked on by; 参与者",
        head="person",
        tail="project",
    ),
    _relation(
        "member_of",
        "is a member of",
        "是…的成员",
        words="belongs to; member; on the team; 属于; 隶属于; 成员",
        reverse="has member; includes; 包括",
        tail="organisation",
    ),
    _relation(
        "part_of",
        "is part of",
        "属于",
        words="component of; module of; subproject of; 组成部分",
        reverse="contains; consists of; 包含; 由…组成",
    ),
    _relation(
        "subsidiary_of",
        "is a subsidiary of",
        "是…的子公司",
        "one",
        words="owned by; subsidiary of; belongs to the group; 子公司属于; 隶属",
        reverse="has subsidiary; subsidiary; parent company of; 子公司; 有子公司; 旗下",
        head="organisation",
        tail="organisation",
    ),
    _relation(
        "acquired",
        "acquired",
        "收购",
        words="acquire; acquires; bought; took over; purchased; 收购了; 并购; 买下",
        reverse="acquired by; bought by; taken over by; 被…收购; 被收购",
        head="organisation",
        tail="organisation",
    ),
    _relation(
        "invested_in",
        "invested in",
        "投资",
        words="invests in; funds; backs; 投资了; 入股",
        reverse="funded by; backed by; investor; 投资方",
    ),
    _relation(
        "supplies",
        "supplies",
        "供应",
        words="delivers to; sells to; vendor of; supplier of; 供货给",
        reverse="supplied by; buys from; orders from; supplier; vendor; 供应商",
        head="organisation",
    ),
    _relation(
        "customer_of",
        "is a customer of",
        "是…的客户",
        words="client of; customer of; 客户",
        reverse="has customer; serves; 的客户是",
    ),
    _relation(
        "partners_with",
        "partners with",
        "与…合作",
        words="partner company; cooperates with; 合作; 合作伙伴",
        head="organisation",
        tail="organisation",
    ),
    _relation(
        "competes_with",
        "competes with",
        "与…竞争",
        words="competitor; rival; 竞争对手",
        head="organisation",
        tail="organisation",
    ),
    _relation(
        "uses",
        "uses",
        "使用",
        words=(
            "use; runs on; is built with; built on; built with; is written in; written in; powered by; "
            "based on; 用; 采用; 基于; 运行在; 用…写"
        ),
        reverse="used by; 被…使用",
    ),
    _relation(
        "backend",
        "has the backend",
        "的后端是",
        "one",
        words="backend; back end; server side; backend is; 后端; 后台",
        reverse="backend of; 是…的后端",
    ),
    _relation(
        "frontend", "has the frontend", "的前端是", "one", words="frontend; front end; 前端", reverse="frontend of"
    ),
    _relation(
        "database",
        "has the database",
        "的数据库是",
        "one",
        words="database; stores data in; 数据库",
        reverse="database of",
    ),
    _relation(
        "depends_on",
        "depends on",
        "依赖",
        words="requires; needs; relies on; 依赖于; 需要",
        reverse="required by; 被…依赖",
    ),
    _relation(
        "replaces",
        "replaces",
        "取代",
        words="supersedes; successor of; 替代; 代替",
        reverse="replaced by; superseded by; 被…取代",
    ),
    _relation(
        "teacher_of",
        "is the teacher of",
        "是…的老师",
        words="teaches; coach of; 老师; 教",
        reverse="student of; taught by; 学生; 的老师是",
        head="person",
        tail="person",
    ),
    _relation("owns", "owns", "拥有", words="own; has", reverse="owned by person; owner; 主人"),
    _relation(
        "treats",
        "treats",
        "治疗",
        words="prescribed for; is for; medication for; 用于治疗",
        reverse="treated with; takes for; 用…治疗",
    ),
    _relation(
        "prescribed", "prescribed", "开了", words="prescribes; 处方", reverse="prescribed by; 由…开", head="person"
    ),
    _relation("takes", "takes", "服用", words="is on; takes medicine; 在吃; 吃药", reverse="taken by", head="person"),
    _relation(
        "doctor_of",
        "is the doctor of",
        "是…的医生",
        words="treats patient; 医生",
        reverse="patient of; doctor is; 的医生是",
        head="person",
        tail="person",
    ),
    _relation("insures", "insures", "承保", words="insurer of; 保险公司", reverse="insured by; insured with; 由…承保"),
    _relation(
        "approved", "approved", "批准", words="approves; signed off; 批准了; 审批", reverse="approved by; 由…批准"
    ),
)

RELATIONS: Mapping[str, RelationType] = {one.name: one for one in _KNOWN}
"""Name -> relation.  What fits none keeps the words of the message, in ``flat`` writing."""

_FORWARD = {
    flat(word).replace("_", " "): one.name
    for one in reversed(_KNOWN)
    for word in (*one.words, one.en, one.zh, one.name)
}
_REVERSE = {flat(word): one.name for one in reversed(_KNOWN) for word in one.reverse}


def relation_of(words: str) -> tuple[str, bool]:
    """The relation that words name, and whether head and tail stand the other way round in them.

    Words of which nothing is known are a relation of their own, in ``flat`` writing and the direction given.
    """
    said = " ".join(flat(words).replace("_", " ").split())
    if said in _REVERSE and said not in _FORWARD:
        return _REVERSE[said], True
    return _FORWARD.get(said, said), False


def label_of(relation: str, language: str, *, negated: bool = False) -> str:
    """How a relation reads between head and tail: ``has the pen name``, 笔名.  What has no name keeps its words."""
    known = RELATIONS.get(relation)
    zh = language == "zh"
    words = relation if known is None else _short(known.zh) if zh else known.en
    return words if not negated else f"非：{words}" if zh else f"not: {words}"


def _short(words: str) -> str:
    """As it stands on an arrow: 的笔名是 is 笔名, 创建了 is 创建."""
    if words.startswith("的") and words.endswith("是"):
        return words[1:-1]
    return words.removesuffix("了") if len(words) > 2 else words
