"""What the rules find of named things in Chinese messages, and what gives nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jiyi.mentions import Mentioned
from jiyi.rules import mentioned
from jiyi.types import Message

AT = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)


def read(text: str) -> Mentioned:
    return mentioned(Message("m", "s", "user", text, created_at=AT))


def edges(text: str) -> list[tuple[str, str, str]]:
    return [(one.head, one.relation, one.tail) for one in read(text).edges]


def names(text: str) -> list[str]:
    return [one.name for one in read(text).mentions if one.name != "user"]


def types(text: str) -> dict[str, str]:
    return {one.name: one.type for one in read(text).mentions}


def roles(text: str) -> list[tuple[str, str]]:
    return [(one.name, one.role) for one in read(text).mentions if one.role]


STORY = [("陈默", "pen_name", "墨鱼")]


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("蓝湾物流收购了灰雀机器人。", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("灰雀机器人去年被蓝湾物流收购。", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("蓝湾物流把灰雀机器人买下了。", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("去年，蓝湾物流全资收购了灰雀机器人。", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("收购灰雀机器人的蓝湾物流上市了。", ("蓝湾物流", "acquired", "灰雀机器人")),
        ("藍灣物流收購了灰雀機器人。", ("藍灣物流", "acquired", "灰雀機器人")),
        ("乌鹭科技有一家子公司，叫白鲸软件。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("白鲸软件是乌鹭科技的子公司。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("白鲸软件的母公司是乌鹭科技。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("乌鹭科技旗下有白鲸软件。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("白鲸软件隶属于乌鹭科技。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("乌鹭科技的子公司白鲸软件搬到了杭州。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("陈默的笔名是墨鱼。", ("陈默", "pen_name", "墨鱼")),
        ("墨鱼是陈默的笔名。", ("陈默", "pen_name", "墨鱼")),
        ("陈默用墨鱼这个笔名写作。", ("陈默", "pen_name", "墨鱼")),
        ("陈默以墨鱼为笔名发表小说。", ("陈默", "pen_name", "墨鱼")),
        ("笔名墨鱼的陈默来了。", ("陈默", "pen_name", "墨鱼")),
        ("陈默，笔名墨鱼，是一位作家。", ("陈默", "pen_name", "墨鱼")),
        ("陈默（笔名墨鱼）创办了星雀科技。", ("陈默", "pen_name", "墨鱼")),
        ("我的笔名是墨鱼。", ("user", "pen_name", "墨鱼")),
        ("陳默的筆名是墨魚。", ("陳默", "pen_name", "墨魚")),
        ("墨鱼这个笔名是陈默的。", ("陈默", "pen_name", "墨鱼")),
        ("陈默笔名墨鱼。", ("陈默", "pen_name", "墨鱼")),
        ("陈默写作时用的笔名是墨鱼。", ("陈默", "pen_name", "墨鱼")),
        ("墨鱼发起了星雀项目。", ("墨鱼", "created", "星雀")),
        ("开源项目“星雀”的作者是墨鱼。", ("墨鱼", "created", "星雀")),
        ("星雀项目由墨鱼于2021年发起。", ("墨鱼", "created", "星雀")),
        ("星雀是我发起的开源项目。", ("user", "created", "星雀")),
        ("乌鹭科技有两家子公司：白鲸软件和灰雀机器人。", ("灰雀机器人", "subsidiary_of", "乌鹭科技")),
        ("白鲸软件和灰雀机器人都是乌鹭科技的子公司。", ("白鲸软件", "subsidiary_of", "乌鹭科技")),
        ("我老板是王建国，他负责星雀项目。", ("王建国", "leads", "星雀")),
        ("我同事陈默很忙，负责星雀项目。", ("陈默", "leads", "星雀")),
        ("我邻居张阿姨的儿子叫强强。", ("张阿姨", "parent_of", "强强")),
        ("陈默现在是蓝湾物流的CTO。", ("陈默", "works_at", "蓝湾物流")),
        ("蓝湾物流的CEO叫王建国。", ("王建国", "leads", "蓝湾物流")),
        ("陈默跳槽到了赤杨科技。", ("陈默", "works_at", "赤杨科技")),
        ("我和陈静2015年结婚了。", ("user", "partner_of", "陈静")),
        ("星雀项目是墨鱼发起的。", ("墨鱼", "created", "星雀")),
        ("星雀这个项目是墨鱼创建的。", ("墨鱼", "created", "星雀")),
        ("星雀项目由墨鱼发起。", ("墨鱼", "created", "星雀")),
        ("墨鱼是星雀项目的发起人。", ("墨鱼", "created", "星雀")),
        ("星雀项目的发起人是墨鱼。", ("墨鱼", "created", "星雀")),
        ("墨魚發起了星雀專案。", ("墨魚", "created", "星雀")),
        ("星雀的后端是FastAPI。", ("星雀", "backend", "FastAPI")),
        ("星雀后端用的是FastAPI。", ("星雀", "backend", "FastAPI")),
        ("星雀项目的后端采用FastAPI。", ("星雀", "backend", "FastAPI")),
        ("星雀项目用FastAPI做后端。", ("星雀", "backend", "FastAPI")),
        ("FastAPI是用Python写的。", ("FastAPI", "uses", "Python")),
        ("FastAPI基于Starlette。", ("FastAPI", "uses", "Starlette")),
        ("星雀项目的数据库是PostgreSQL，前端用的是Vue。", ("星雀", "database", "PostgreSQL")),
        ("星雀项目的数据库是PostgreSQL，前端用的是Vue。", ("星雀", "frontend", "Vue")),
        ("星雀从Flask迁移到了FastAPI。", ("星雀", "uses", "FastAPI")),
        ("《三体》的作者是刘慈欣。", ("刘慈欣", "created", "三体")),
        ("《远山》是陈默写的。", ("陈默", "created", "远山")),
        ("我写的《远山》出版了。", ("user", "created", "远山")),
        ("陈默出版过《远山》和《海岸》。", ("陈默", "created", "海岸")),
        ("陈默和林薇创办了星雀科技。", ("林薇", "created", "星雀科技")),
        ("陈默创办的星雀科技上市了。", ("陈默", "created", "星雀科技")),
        ("星雀科技的创始人是陈默。", ("陈默", "created", "星雀科技")),
        ("陈默去年从蓝湾物流离职，创办了星雀科技。", ("陈默", "created", "星雀科技")),
        ("陈默很忙，他创办了星雀科技。", ("陈默", "created", "星雀科技")),
        ("星雀项目由陈默负责。", ("陈默", "leads", "星雀")),
        ("陈默，我们的首席工程师，负责星雀项目。", ("陈默", "leads", "星雀")),
        ("我现在负责“北斗计划”。", ("user", "leads", "北斗计划")),
        ("我参与了星雀项目。", ("user", "works_on", "星雀")),
        ("蓝湾物流总部在宁波。", ("蓝湾物流", "located_in", "宁波")),
        ("蓝湾物流成立于2010年，总部位于宁波。", ("蓝湾物流", "located_in", "宁波")),
        ("RX-2219取代了RX-2217。", ("RX-2219", "replaces", "RX-2217")),
        ("RX-2219是RX-2217的替代品。", ("RX-2219", "replaces", "RX-2217")),
        ("RX-2217的供应商是蓝湾物流。", ("蓝湾物流", "supplies", "RX-2217")),
        ("蓝湾物流给灰雀机器人供货。", ("蓝湾物流", "supplies", "灰雀机器人")),
        ("蓝湾物流和灰雀机器人合作了。", ("蓝湾物流", "partners_with", "灰雀机器人")),
        ("MGB是MGA的保险公司。", ("MGB", "insures", "MGA")),
        ("我弟弟小明在蓝湾物流上班。", ("user", "sibling_of", "小明")),
        ("我弟弟小明在蓝湾物流上班。", ("小明", "works_at", "蓝湾物流")),
        ("小明是我弟弟。", ("user", "sibling_of", "小明")),
        ("我老婆叫陈静，是小学老师。", ("user", "partner_of", "陈静")),
        ("林薇嫁给了陈默。", ("林薇", "partner_of", "陈默")),
        ("陈默是林薇的老公。", ("林薇", "partner_of", "陈默")),
        ("张伟的儿子张小宝今年五岁。", ("张伟", "parent_of", "张小宝")),
        ("我爸叫陈建国。", ("陈建国", "parent_of", "user")),
        ("我的医生叫张伟明。", ("张伟明", "doctor_of", "user")),
        ("我的家庭医生是陈医生。", ("陈医生", "doctor_of", "user")),
        ("我的导师吴教授退休了。", ("吴教授", "teacher_of", "user")),
        ("我向陈默汇报。", ("user", "reports_to", "陈默")),
        ("我向物流主管汇报。", ("user", "reports_to", "物流主管")),
        ("我的老板叫王强。", ("user", "reports_to", "王强")),
        ("陈默和林薇是同事。", ("陈默", "colleague_of", "林薇")),
        ("我同事Tom请假了。", ("user", "colleague_of", "Tom")),
        ("我们家猫叫年糕。", ("user", "pet", "年糕")),
        ("我在赤杨科技上班。", ("user", "works_at", "赤杨科技")),
        ("我叫林薇，在蓝湾物流工作。", ("user", "works_at", "蓝湾物流")),
        ("我住在宁波。", ("user", "lives_in", "宁波")),
        ("我老家在四川。", ("user", "from", "四川")),
        ("我2021年毕业于云南大学。", ("user", "studies_at", "云南大学")),
        ("墨鱼做了一个叫星雀的笔记应用。", ("墨鱼", "created", "星雀")),
        ("墨魚做了一個叫星雀的筆記應用。", ("墨魚", "created", "星雀")),
        ("秋山写了个叫夜莺的小工具", ("秋山", "created", "夜莺")),
        ("陈默开发了一个叫星雀的开源项目。", ("陈默", "created", "星雀")),
        ("我搞了一个叫星雀的小程序。", ("user", "created", "星雀")),
        ("陈默弄了一个名为“星雀”的网站。", ("陈默", "created", "星雀")),
        ("我做了一个叫 StarPilot 的开源项目。", ("user", "created", "StarPilot")),
        ("星雀的后端是海塔。", ("星雀", "backend", "海塔")),
        ("夜莺的数据库用的是云雀。", ("夜莺", "database", "云雀")),
        ("星雀的前端是海塔，后端是青岩。", ("星雀", "frontend", "海塔")),
        ("海塔是用Rust写的。", ("海塔", "uses", "Rust")),
        ("夜莺的后端是用Rust写的。", ("夜莺", "uses", "Rust")),
        ("陈默在青木科技公司工作。", ("陈默", "works_at", "青木科技公司")),
        ("陈默在青木公司上班。", ("陈默", "works_at", "青木公司")),
        ("我叫林薇，在桤木实验室工作。", ("user", "works_at", "桤木实验室")),
        ("秋山写作时用的笔名是夜莺。", ("秋山", "pen_name", "夜莺")),
        ("陈医生给我开了二甲双胍。", ("陈医生", "prescribed", "二甲双胍")),
        ("我妈妈有高血压，陈医生给她开了氨氯地平。", ("陈医生", "prescribed", "氨氯地平")),
        ("我在吃氨氯地平。", ("user", "takes", "氨氯地平")),
        ("我每天吃一片氨氯地平。", ("user", "takes", "氨氯地平")),
        ("我每天早上吃氨氯地平片和二甲双胍。", ("user", "takes", "二甲双胍")),
        ("我正在服用阿托伐他汀钙片。", ("user", "takes", "阿托伐他汀")),
        ("我妈妈在吃氨氯地平。", ("我妈妈", "takes", "氨氯地平")),
        ("我妈妈张丽在吃氨氯地平。", ("张丽", "takes", "氨氯地平")),
        ("我妈妈有高血压，在吃氨氯地平。", ("我妈妈", "takes", "氨氯地平")),
        ("在吃氨氯地平。", ("user", "takes", "氨氯地平")),
    ],
)
def test_a_relation_is_found_in_the_direction_in_which_it_holds(text: str, edge: tuple[str, str, str]) -> None:
    assert edge in edges(text)


def test_a_chain_of_plain_sentences_gives_each_relation_once() -> None:
    text = "陈默的笔名是墨鱼。墨鱼发起了星雀项目。星雀的后端是FastAPI。FastAPI是用Python写的。"
    assert edges(text) == [
        ("陈默", "pen_name", "墨鱼"),
        ("墨鱼", "created", "星雀"),
        ("星雀", "backend", "FastAPI"),
        ("FastAPI", "uses", "Python"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "他创办了星雀科技。",
        "她是蓝湾物流的创始人。",
        "他们用Slack沟通。",
        "我朋友很忙，负责星雀项目。",
        "我老板认识陈默和林薇，他负责星雀项目。",
        "你认识陈默吗？他创办了星雀科技。",
        "公司最近被蓝湾物流收购了。",
        "我们公司收购了一家小公司。",
        "听说蓝湾物流收购了灰雀机器人。",
        "小王说蓝湾物流收购了灰雀机器人。",
        "蓝湾物流收购了灰雀机器人吗？",
        "如果蓝湾物流收购了灰雀机器人，我们就完了。",
        "蓝湾物流打算收购灰雀机器人。",
        "蓝湾物流想收购灰雀机器人。",
        "蓝湾物流可能收购了灰雀机器人。",
        "蓝湾物流收购了灰雀机器人30%的股份。",
        "蓝湾物流收购了灰雀机器人的仓库。",
        "蓝湾物流收购了蓝湾物流。",
        "“蓝湾物流收购了灰雀机器人，这是大新闻。”",
        "写一个故事：陈默创办了星雀科技。",
        "请帮我写一篇蓝湾物流收购灰雀机器人的报道。",
        "我在公司上班。",
        "我在一家互联网公司工作。",
        "我在医院做了检查。",
        "我住在公司附近。",
        "我住在一个老小区。",
        "我老公是程序员。",
        "我爱人是支持的。",
        "我丈夫是开货车的。",
        "我初中毕业。",
        "王姐儿子在外地上学。",
        "公司的后端是用Python写的。",
        "这个项目用的是FastAPI。",
        "项目由我负责。",
        "作者是一位女性。",
        "后端是同事写的。",
        "由于天气原因，活动取消了。",
        "我用手机拍的。",
        "我想学Python。",
        "我们的供应商是谁？",
        "蓝湾物流的员工很多。",
        "我家狗很可爱。",
        "业余做了一个叫星雀的笔记应用。",
        "自学做了一个叫星雀的应用。",
        "他做了一个叫星雀的应用。",
        "我打算做一个叫星雀的应用。",
        "有人做了一个叫外卖的小程序。",
        "我们的后端是外包的。",
        "这个项目的后端是老系统。",
        "网站的后端是海塔。",
        "星雀的后端是自研。",
        "星雀的后端是瓶颈。",
        "星雀的后端是海塔吗？",
        "星雀的后端是否正常还不清楚。",
        "星雀的后端是小王。",
        "指定的数据库是云雀。",
        "铅笔的前端是橡皮。",
        "后端是海塔。",
        "大概是用Rust写的。",
        "这个脚本是用Python写的。",
        "脚本是用Python写的。",
        "陈默在日语培训公司上班。",
        "陈默在隔壁公司上班。",
        "陈默在竞品公司上班。",
        "我在朋友公司上班。",
        "我在化学实验室工作。",
        "医生给我开了阿司匹林。",
        "陈医生给我开了三天假。",
        "陈医生给我开了检查单。",
        "我昨天吃了一片布洛芬。",
        "我没吃布洛芬。",
        "我想吃布洛芬。",
        "我能吃布洛芬吗？",
        "我每天吃维生素。",
        "我在吃薯片。",
        "我每天吃素。",
        "他在吃氨氯地平。",
        "记得每天吃氨氯地平。",
        "每天吃氨氯地平。",
        "医生让我停用布洛芬。",
        "我妈妈说在吃氨氯地平。",
        "我陪王总看病，在吃氨氯地平。",
        "陈医生把布洛芬停了。",
        "我在查氨氯地平的副作用。",
        "我每天都用心地平衡各方。",
        "我一直用极具颗粒感的笔触写作。",
        "我服用了三天布洛芬。",
    ],
)
def test_what_is_not_sure_gives_no_relation(text: str) -> None:
    assert edges(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "扫地机器人坏了。",
        "我去银行取钱。",
        "我叫了外卖。",
        "他叫我别去。",
        "我朋友叫我去爬山。",
        "我老师叫我回家。",
        "高兴的时候我会唱歌。",
        "方便的话给我打电话。",
        "马上就要放假了。",
        "周末去爬山了。",
        "安全第一。",
        "我妈做饭很好吃。",
        "对对，就是这个意思。",
        "哈哈，谢谢。",
        "这家公司的创始人很厉害。",
        "下午回公司就发给您。",
        "孩子刚上小学。",
        "国内物流太慢了。",
        "我买了保险。",
        "我按照这个框架来写。",
        "重点项目推进很慢。",
        "老师傅常说要小心。",
        "上周老师请假了。",
        "静静地坐着。",
        "包括自称银行工作人员的电话。",
        "PPT和KPI都做完了。",
        "时长大约15分钟。",
        "我想了三个方向，分别是A、B、C。",
        "成绩出来了。",
        "关于项目的问题很多。",
    ],
)
def test_what_names_nothing_gives_no_mention(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ＭＧＡ 的合同下月到期。", {"ＭＧＡ": ""}),
        ("我们为水泵订购RX-2217，为风扇订购RX-2219；MGB是保险方。", {"RX-2217": "", "RX-2219": "", "MGB": ""}),
        ("和张静聊这个特别有共鸣。", {"张静": "person"}),
        ("静静，思思，周日下午见。", {"静静": "person", "思思": "person"}),
        ("王总，明天见。", {"王总": "person"}),
        ("跟李师傅和陈医生约好了。", {"李师傅": "person", "陈医生": "person"}),
        ("我的导师吴明远教授来了。", {"user": "", "吴明远": "person"}),
        ("供应商周涛强烈建议线上运营。", {"周涛": "person"}),
        ("我喜欢安妮·迪拉德的书。", {"安妮·迪拉德": "person"}),
        ("去仁济医院做检查。", {"仁济医院": "organisation"}),
        ("我在静海区人民医院挂了号。", {"静海区人民医院": "organisation"}),
        ("《灌篮高手》真好看。", {"灌篮高手": "work"}),
        ("后天去大理玩。", {"大理": "place"}),
        ("有个朋友叫阿哲。", {"阿哲": "person"}),
        ("我们公司的项目叫星雀。", {"星雀": "project"}),
        ("我们决定星雀项目先不招人。", {"星雀": "project"}),
        ("目前星雀项目很顺利。", {"星雀": "project"}),
        ("上周星雀项目延期了。", {"星雀": "project"}),
        ("决定项目的方向。", {}),
        ("我想学Python和Kubernetes。", {"Python": "technology", "Kubernetes": "technology"}),
    ],
)
def test_names_and_their_types(text: str, expected: dict[str, str]) -> None:
    assert types(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我弟弟小明来了。", [("小明", "我弟弟")]),
        ("财务部的小明说预算没批。", [("小明", "财务部")]),
        ("邻居小王借了我的梯子。", [("小王", "邻居")]),
        ("同事小王请假了。", [("小王", "同事")]),
        ("小明是我弟弟。", [("小明", "我弟弟")]),
        ("我弟弟小明在读大学，财务部的小明是我同事。", [("小明", "我弟弟"), ("小明", "财务部")]),
    ],
)
def test_roles_tell_namesakes_apart(text: str, expected: list[tuple[str, str]]) -> None:
    assert roles(text) == expected


@pytest.mark.parametrize(
    ("text", "name", "trait"),
    [
        ("MGB是保险方。", "MGB", "保险方"),
        ("陈默，我们的首席工程师，负责星雀项目。", "陈默", "首席工程师"),
        ("蓝湾物流是一家物流公司。", "蓝湾物流", "物流公司"),
    ],
)
def test_what_something_is_said_to_be(text: str, name: str, trait: str) -> None:
    assert [one.traits for one in read(text).mentions if one.name == name] == [{"": trait}]


def test_what_a_clause_goes_on_with_is_said_of_the_one_named_last() -> None:
    assert edges("我的老板叫王强，笔名是墨鱼。") == [("user", "reports_to", "王强"), ("王强", "pen_name", "墨鱼")]


@pytest.mark.parametrize("text", ["陈默是很好的人。", "蓝湾物流是因为疫情倒闭的。", "陈默是最忙的。", "陈默是对的。"])
def test_what_is_no_description_gives_no_trait(text: str) -> None:
    assert all(not one.traits for one in read(text).mentions)


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("子午电网管理局（MGA）负责东区变电站。", ("子午电网管理局", "MGA")),
        ("子午电网管理局，简称子午局。", ("子午电网管理局", "子午局")),
        ("我叫林薇。", ("user", "林薇")),
        ("我是林薇，刚入职。", ("user", "林薇")),
        ("我的英文名是Ada。", ("user", "Ada")),
        ("大家都叫我阿哲。", ("user", "阿哲")),
        ("小王也叫王磊。", ("小王", "王磊")),
    ],
)
def test_other_names_of_the_same(text: str, alias: tuple[str, str]) -> None:
    assert alias in [one.names for one in read(text).aliases]


@pytest.mark.parametrize(
    "text",
    [
        "他叫我别怕。",
        "蓝湾物流（宁波）招人。",
        "陈默（蓝湾物流）来了。",
        "我是云南人。",
        "我是老师。",
        "陈默的笔名是墨鱼。",
    ],
)
def test_what_is_no_other_name(text: str) -> None:
    assert read(text).aliases == ()


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("陈默已经不负责星雀项目了。", ("陈默", "leads", "星雀")),
        ("陈默不再负责星雀项目。", ("陈默", "leads", "星雀")),
        ("陈默从蓝湾物流离职了。", ("陈默", "works_at", "蓝湾物流")),
        ("陈默曾经在蓝湾物流工作。", ("陈默", "works_at", "蓝湾物流")),
        ("我已经从赤杨科技离职了。", ("user", "works_at", "赤杨科技")),
        ("星雀项目弃用了Flask。", ("星雀", "uses", "Flask")),
        ("停用了布洛芬。", ("user", "takes", "布洛芬")),
        ("我已经不再吃布洛芬了。", ("user", "takes", "布洛芬")),
        ("我上周把布洛芬停了。", ("user", "takes", "布洛芬")),
    ],
)
def test_what_is_over(text: str, edge: tuple[str, str, str]) -> None:
    (one,) = read(text).edges
    assert ((one.head, one.relation, one.tail), one.ends, one.negated) == (edge, True, False)


@pytest.mark.parametrize(
    "text", ["蓝湾物流没有收购灰雀机器人。", "蓝湾物流并未收购灰雀机器人。", "白鲸软件不是乌鹭科技的子公司。"]
)
def test_what_is_denied(text: str) -> None:
    (one,) = read(text).edges
    assert one.negated and not one.ends


def test_what_is_denied_is_no_role() -> None:
    assert roles("林薇不是我老婆。") == []


def test_dates_are_those_of_the_clause_that_says_so() -> None:
    (first, second) = read("蓝湾物流2010年在宁波注册，总部在杭州，去年收购了灰雀机器人。").edges
    assert (first.tail, first.event_from) == ("杭州", None)
    assert (second.tail, second.event_from) == ("灰雀机器人", datetime(2025, 1, 1, tzinfo=UTC))
    (begins,) = read("我2019年加入赤杨科技。").edges
    assert begins.valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_the_quote_is_a_whole_clause_and_said_its_words() -> None:
    (one,) = read("灰雀机器人去年被蓝湾物流收购，员工都留下了。").edges
    assert (one.quote, one.said) == ("灰雀机器人去年被蓝湾物流收购", "收购")


def test_a_name_that_one_sentence_makes_sure_is_found_in_the_others() -> None:
    found = read("我在做星雀项目。星雀很难。")
    assert [(one.name, one.start) for one in found.mentions if one.name == "星雀"] == [("星雀", 3), ("星雀", 8)]


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("我写悬疑小说，笔名是墨石。", ("user", "pen_name", "墨石")),
        ("我们公司叫云帆仪器，做实验室天平。", ("user", "works_at", "云帆仪器")),
        ("青鸾项目的传感器由恒信电子供应。", ("恒信电子", "supplies", "青鸾")),
        ("恒信电子给青鸾项目供应传感器。", ("恒信电子", "supplies", "青鸾")),
        ("百灵出版社属于蓝海集团。", ("百灵出版社", "subsidiary_of", "蓝海集团")),
        ("我的编辑是唐晓，她在百灵出版社工作。", ("user", "编辑", "唐晓")),
        ("我的编辑是唐晓，她在百灵出版社工作。", ("唐晓", "works_at", "百灵出版社")),
        ("我的主治医生是王建平，他在协和医院工作。", ("王建平", "works_at", "协和医院")),
        ("陈磊已经不在恒信电子了，现在在光明传感器公司上班。", ("陈磊", "works_at", "光明传感器公司")),
    ],
)
def test_a_relation_that_a_novelist_or_a_buyer_states(text: str, edge: tuple[str, str, str]) -> None:
    found = read(text)
    assert edge in [(one.head, one.relation, one.tail) for one in found.edges if not (one.ends or one.negated)]


@pytest.mark.parametrize(
    "text",
    [
        "我写了一部小说，主角叫李雷，他住在北京。",
        "写个故事：小明住在上海。",
        "我们公司是云帆仪器的客户。",
        "我们组叫王强去开会。",
        "《盐账》没改名叫《盐之书》。",
    ],
)
def test_neither_made_up_nor_of_a_company(text: str) -> None:
    found = read(text)
    assert not found.edges and not found.aliases


def test_a_new_title_is_another_name_and_a_pen_name_is_no_role() -> None:
    (one,) = read("《盐账》改名叫《盐之书》了。").aliases
    assert one.names == ("盐账", "盐之书")
    (name,) = [one for one in read("我用笔名墨石写小说。").mentions if one.name == "墨石"]
    assert name.role == ""


@pytest.mark.parametrize("text", ["我的邻居王强是木匠。", "我同事王强是木匠。"])
def test_what_somebody_of_the_users_is(text: str) -> None:
    assert [one.traits for one in read(text).mentions if one.name == "王强"] == [{"": "木匠"}]
    assert edges(text)[0][0::2] == ("user", "王强")
