"""Chinese words for relations between named things: verbs, and what one thing is of another."""

from __future__ import annotations

from typing import NamedTuple

from jiyi.rules.chinese_words import OCCUPATIONS

PERSON, ORG, PLACE, TECH = "person", "organisation", "place", "technology"
PROJECT, PRODUCT, WORK, ANIMAL = "project", "product", "work", "animal"
WHO = frozenset((PERSON, ""))
SOME = frozenset((ORG, ""))
ACTS = frozenset((PERSON, ORG, ""))
MADE = frozenset((PROJECT, TECH, PRODUCT, WORK, ORG, ""))
WORKS = frozenset((PROJECT, TECH, PRODUCT, ""))
RUN = frozenset((PROJECT, PRODUCT, ORG, ""))
WHERE = frozenset((PLACE,))
ANY = frozenset((PERSON, ORG, PLACE, TECH, PROJECT, PRODUCT, WORK, ANIMAL, ""))


class Verb(NamedTuple):
    """A verb between two names.

    Attributes:
        relation: a name of ``RELATIONS``.
        words: the verb, as an expression; ``{b}`` where the object stands within.
        head, tail: of which types they may be.
        user: the user may be the head.
        turned: the subject of the verb is the tail.
        passive: it also stands with 被, 由, 把 and 是…的.
        begins: it holds from the time named.
        bare: which of both may be a word that nothing marks as a name: a (subject), b (object), "" for none; the other
            is then sure.
        ends: it says that the relation is over.
    """

    relation: str
    words: str
    head: frozenset[str]
    tail: frozenset[str]
    user: bool = False
    turned: bool = False
    passive: bool = False
    begins: bool = False
    bare: str = ""
    ends: bool = False


_MAKES_A = "(?:写|做|开发|搞|弄|建|搭|整|设计|发布|推出|上线)(?:了|出了?|过)?一?[个款套](?:名?叫做?|名为){b}"

VERBS = (
    Verb("acquired", "收购|并购|买下|吞并", SOME, SOME, passive=True, bare="ab"),
    Verb("invested_in", "投资|入股|参股|领投", ACTS, frozenset((ORG, PROJECT)), user=True, passive=True),
    Verb(
        "created",
        "创办|创立|创建|发起|开发|研发|编写|撰写|创作|发明|搭建|打造|成立",
        ACTS,
        MADE,
        True,
        passive=True,
        bare="a",
    ),
    Verb(
        "created", "写|做|设计|制作|出版|推出|发布", ACTS, frozenset((PROJECT, TECH, PRODUCT, WORK)), True, passive=True
    ),
    Verb("created", _MAKES_A, ACTS, frozenset((PROJECT, TECH, PRODUCT)), True, bare="a"),
    Verb("leads", "负责|主管|主持|领导|带领|牵头|主导|掌管", WHO, RUN, True, passive=True, bare="a"),
    Verb("works_on", "参与|参加|参与开发|参与设计|在做|在搞", WHO, frozenset((PROJECT, TECH, PRODUCT)), True),
    Verb("works_on", "加入", WHO, frozenset((PROJECT,)), True, begins=True),
    Verb("works_at", "就职于|任职于|供职于|就职在", WHO, SOME),
    Verb("works_at", "入职|加入|跳槽到|跳槽去", WHO, frozenset((ORG,)), begins=True),
    Verb("works_at", "在{b}(?:工作|上班|任职|供职|就职|实习|打工|(?:做|当|担任)[^,，的了]{1,8})", WHO, SOME),
    Verb("works_at", "在{b}(?:工作|上班|任职|供职|就职)", WHO, frozenset((ORG,)), True),
    Verb("works_at", "从{b}(?:离职|辞职|跳槽|离开|退休|辞)|离开|辞去", WHO, frozenset((ORG,)), ends=True),
    Verb("studies_at", "就读于|毕业于|考上|考进|考入", WHO, frozenset((ORG,))),
    Verb(
        "studies_at",
        "在{b}(?:读书|上学|念书|就读|留学|(?:读|念|学)[^,，的了]{1,6}|读|念)|毕业于{b}|从{b}毕业",
        WHO,
        frozenset((ORG,)),
    ),
    Verb("lives_in", "住在|住|定居在|定居|居住在|搬到|搬去|搬回", WHO, WHERE),
    Verb("from", "来自|出生于|出生在|老家在|老家是|是{b}人", WHO, WHERE),
    Verb(
        "located_in",
        "位于|坐落于|坐落在|地处|总部在|总部位于|总部设在|设在|总部是",
        frozenset((ORG, PROJECT, PRODUCT, "")),
        WHERE,
    ),
    Verb("located_in", "在", frozenset((ORG,)), WHERE),
    Verb("reports_to", "(?:向|给|跟){b}汇报(?:工作)?|汇报给|向{b}负责", WHO, WHO, True, bare="b"),
    Verb("supplies", "(?:给|为|向){b}(?:供货|供应)[^,，]{0,6}", SOME, frozenset((ORG, PROJECT, PRODUCT, ""))),
    Verb("supplies", "供应|供货给", SOME, frozenset((ORG, PRODUCT, PROJECT, "")), passive=True),
    Verb(
        "partners_with",
        ("(?:和|与|跟|同){b}(?:达成了?|有|开展了?|展开了?|建立了?)?(?:长期|战略|深度)*合作(?:关系|协议|伙伴)?"),
        SOME,
        SOME,
    ),
    Verb(
        "competes_with",
        "(?:和|与|跟|同){b}(?:是?竞争对手|竞争|是竞争关系)",
        frozenset((ORG, PRODUCT, "")),
        frozenset((ORG, PRODUCT, "")),
    ),
    Verb(
        "partner_of",
        "(?:和|与|跟|同){b}(?:结婚|订婚|领证|是夫妻|是情侣|是一对|在交往|在谈恋爱)|嫁给|娶",
        WHO,
        WHO,
        True,
    ),
    Verb(
        "friend_of",
        "(?:和|与|跟|同){b}是(?:多年的?|大学|高中|最好的|好|老)*(?:朋友|好友|闺蜜|哥们|发小|死党)",
        WHO,
        WHO,
        True,
    ),
    Verb(
        "colleague_of",
        "(?:和|与|跟|同){b}是(?:多年的?|以前的|前)?(?:同事|搭档|队友)|(?:和|与|跟|同){b}(?:搭档|共事)",
        WHO,
        WHO,
        True,
    ),
    Verb("sibling_of", "(?:和|与|跟|同){b}是(?:亲)?(?:兄弟|姐妹|兄妹|姐弟|双胞胎)", WHO, WHO, True),
    Verb(
        "uses",
        "用|使用|采用|选用|用到|用上",
        frozenset((ORG, PROJECT, PRODUCT, TECH, WORK, "")),
        frozenset((TECH, PRODUCT, PROJECT)),
    ),
    Verb(
        "uses",
        "改用|换成|换用|改成|迁移到|切换到|迁到|切到|升级到",
        WORKS,
        frozenset((TECH, PRODUCT, PROJECT, "")),
        begins=True,
    ),
    Verb(
        "uses",
        "弃用|抛弃|停用|放弃|停止使用",
        frozenset((ORG, PROJECT, PRODUCT, TECH)),
        frozenset((TECH, PRODUCT)),
        ends=True,
    ),
    Verb(
        "uses",
        "(?:的(?:后端|前端|服务端|客户端|后台|内核))?(?:是|都是|主要)?(?:用|由|基于|采用|使用){b}(?:来|语言)?(?:写|开发|编写|实现|搭建|构建|做|驱动)",
        MADE,
        frozenset((TECH, PRODUCT, PROJECT, "")),
    ),
    Verb(
        "uses",
        "基于|(?:运行|跑|部署|构建)在{b}(?:上|之上)?|构建于|依托|从{n}(?:迁移|切换|换|改)(?:到|成|为)",
        WORKS,
        frozenset((TECH, PRODUCT, PROJECT, "")),
        bare="a",
    ),
    Verb("uses", "用", frozenset((PERSON,)), frozenset((TECH,)), True),
    Verb(
        "backend",
        "后端(?:用|采用|使用|基于)|用{b}(?:做|当|作|作为)(?:的)?(?:后端|后台)",
        WORKS,
        frozenset((TECH, PRODUCT, PROJECT, "")),
        bare="a",
    ),
    Verb(
        "frontend",
        "前端(?:用|采用|使用|基于)|用{b}(?:做|当|作|作为)(?:的)?前端",
        WORKS,
        frozenset((TECH, PRODUCT, PROJECT, "")),
        bare="a",
    ),
    Verb(
        "database",
        (
            "(?:用|采用|使用){b}(?:做|当|作|作为)(?:的)?(?:数据库|存储)|(?:用|采用|使用){b}(?:存|存储)数据"
            "|数据(?:存在|存放在|放在){b}(?:里|中)?"
        ),
        WORKS,
        frozenset((TECH, PRODUCT, PROJECT, "")),
    ),
    Verb("depends_on", "依赖于|依赖|依靠", WORKS, frozenset((TECH, PRODUCT, PROJECT, ORG, ""))),
    Verb("replaces", "取代|替代|代替|替换|接替", ANY - {PLACE}, ANY - {PLACE}, passive=True),
    Verb("subsidiary_of", "隶属于|从属于|隶属|归属于|属于", frozenset((ORG,)), frozenset((ORG,))),
    Verb("subsidiary_of", "旗下有|控股|全资拥有", frozenset((ORG,)), frozenset((ORG,)), turned=True),
    Verb("member_of", "隶属于|从属于|隶属|属于|归属于", frozenset((PERSON, "")), frozenset((ORG,))),
    Verb("part_of", "属于|从属于|隶属于|归属于", WORKS, frozenset((PROJECT, PRODUCT))),
    Verb("approved", "批准|审批通过|核准", ACTS, MADE, True, passive=True),
    Verb("insures", "承保", SOME, ANY - {PERSON, PLACE}, passive=True),
    Verb("owns", "拥有|持有", ACTS, frozenset((ORG, PRODUCT, PROJECT, WORK)), True),
)
"""In the order in which they are tried; the first that fits a clause counts."""


class Noun(NamedTuple):
    """What one named thing is of another: A 的 noun 是 B.

    Attributes:
        relation: a name of ``RELATIONS``; "" for another name of the same, ``OWN_WORD`` for the noun as it stands.
        words: the noun, as an expression.
        owner, owned: of which types A and B may be.
        turned: it leads from B to A.
        user: A may be the user.
        bare: which of both may be a word that nothing marks as a name.
        kind: the type of B that the noun tells.
    """

    relation: str
    words: str
    owner: frozenset[str]
    owned: frozenset[str]
    turned: bool = False
    user: bool = False
    bare: str = ""
    kind: str = ""


OWN_WORD = "*"
"""``Noun.relation`` where the noun itself is the relation."""
_THING = frozenset((ORG, PROJECT, PRODUCT, TECH, WORK, ""))
_TECHS = frozenset((TECH, PRODUCT, PROJECT, ""))
NOUNS = (
    Noun("pen_name", "笔名|艺名|化名|网名|花名", WHO, WHO, user=True, bare="ab", kind=PERSON),
    Noun(
        "",
        (
            "简称|英文简称|缩写|英文名字?|中文名字?|别名|别称|全名|全称|原名|曾用名|昵称|外号|绰号|小名|大名"
            "|本名|真名|名字|代号|又名|改名|更名"
        ),
        ANY,
        ANY,
        user=True,
        bare="ab",
    ),
    Noun("backend", "后端|后台|服务端|后端框架|后端服务", WORKS, _TECHS, bare="a"),
    Noun("frontend", "前端|前端框架", WORKS, _TECHS, bare="a"),
    Noun("database", "数据库", WORKS, _TECHS, bare="a"),
    Noun(
        "uses", "开发语言|编程语言|技术栈|框架|底层|缓存|消息队列|搜索引擎|核心技术|引擎|编排", WORKS, _TECHS, bare="a"
    ),
    Noun(
        "created",
        ("创始人|联合创始人|创办人|发起人|作者|原作者|开发者|创建者|设计者|编剧|发明人|发明者|主创|创作者|编者"),
        _THING,
        ACTS,
        turned=True,
        bare="ab",
    ),
    Noun(
        "leads",
        (
            "负责人|项目负责人|ceo|首席执行官|总经理|董事长|总裁|掌门人|带头人|老板|老总|校长|院长|店长|馆长"
            "|行长|主编|项目经理|组长|领队|主理人|技术负责人"
        ),
        RUN - {""},
        WHO,
        turned=True,
        bare="b",
        kind=PERSON,
    ),
    Noun(
        "reports_to",
        "老板|领导|上司|上级|直属领导|直属上司|顶头上司|直系领导|顶头老板|主管|组长|部门经理|部门主管",
        WHO,
        WHO,
        user=True,
        kind=PERSON,
    ),
    Noun("reports_to", "下属|手下", WHO, WHO, turned=True, user=True, kind=PERSON),
    Noun(
        "subsidiary_of",
        "子公司|全资子公司|控股子公司|旗下公司|下属公司|分公司",
        SOME,
        SOME,
        turned=True,
        bare="ab",
        kind=ORG,
    ),
    Noun("subsidiary_of", "母公司|总公司|控股公司", SOME, SOME, bare="ab", kind=ORG),
    Noun("supplies", "供应商|供货商|供货方", ANY - {PERSON, PLACE}, ACTS, turned=True, bare="b"),
    Noun("customer_of", "客户|大客户|甲方", frozenset((ORG, PROJECT, PRODUCT)), ACTS, turned=True),
    Noun("partners_with", "合作伙伴|合作方|合作商|合作公司", SOME, SOME),
    Noun("competes_with", "竞争对手|竞品|死对头", frozenset((ORG, PRODUCT, "")), frozenset((ORG, PRODUCT, ""))),
    Noun("invested_in", "投资方|投资人|投资者|天使投资人", frozenset((ORG, PROJECT)), ACTS, turned=True),
    Noun("insures", "保险公司|保险方|承保方|承保人|承保公司", ANY - {PERSON, PLACE}, SOME, turned=True),
    Noun(
        "partner_of",
        "妻子|老婆|太太|爱人|丈夫|老公|先生|女朋友|男朋友|女友|男友|对象|未婚妻|未婚夫|伴侣|媳妇|另一半",
        WHO,
        WHO,
        user=True,
        bare="b",
        kind=PERSON,
    ),
    Noun(
        "parent_of",
        "大?儿子|小儿子|大?女儿|小女儿|孩子|闺女|宝宝|养子|养女|儿|大宝|二宝|小孩|娃",
        WHO,
        WHO,
        user=True,
        bare="b",
        kind=PERSON,
    ),
    Noun("parent_of", "爸爸|父亲|老爸|妈妈|母亲|老妈|爸|妈|爹|娘", WHO, WHO, turned=True, user=True, kind=PERSON),
    Noun(
        "sibling_of",
        ("大?哥哥|小?弟弟|大?姐姐|小?妹妹|大哥|二哥|三哥|大姐|二姐|三姐|哥|姐|弟|妹|双胞胎(?:哥哥|弟弟|姐姐|妹妹)"),
        WHO,
        WHO,
        user=True,
        kind=PERSON,
    ),
    Noun(
        "relative_of",
        (
            "爷爷|奶奶|外公|外婆|姥姥|姥爷|祖父|祖母|孙子|孙女|外孙女?|侄子|侄女|外甥女?|叔叔|姑姑|姑妈|舅舅"
            "|舅妈|姨妈|阿姨|伯伯|大伯|婶婶|嫂子|姐夫|妹夫|公公|婆婆|岳父|岳母|丈母娘|老丈人|表[哥弟姐妹]"
            "|堂[哥弟姐妹]|小姨|小姑|亲戚|弟媳|儿媳|女婿"
        ),
        WHO,
        WHO,
        user=True,
        kind=PERSON,
    ),
    Noun(
        "friend_of",
        "好?朋友|好友|闺蜜|哥们|发小|死党|老友|老朋友|铁哥们|最好的朋友|知己",
        WHO,
        WHO,
        user=True,
        bare="b",
        kind=PERSON,
    ),
    Noun("colleague_of", "同事|搭档|队友|合伙人|合作伙伴|老同事|前同事", WHO, WHO, user=True, kind=PERSON),
    Noun(
        "doctor_of",
        "医生|主治医生|家庭医生|牙医|大夫|主治医师|主治大夫|主刀医生|心理医生|心理咨询师",
        WHO,
        WHO,
        turned=True,
        user=True,
        kind=PERSON,
    ),
    Noun(
        "teacher_of",
        (
            "老师|班主任|导师|教练|师父|师傅|(?:语文|数学|英语|物理|化学|钢琴|声乐|美术|瑜伽|健身|舞蹈|吉他"
            "|书法|绘画|大学|高中|小学|初中)(?:老师|教练|教授|导师)"
        ),
        WHO,
        WHO,
        turned=True,
        user=True,
        kind=PERSON,
    ),
    Noun("teacher_of", "学生|徒弟|学徒|弟子", WHO, WHO, user=True, kind=PERSON),
    Noun(
        "pet",
        (
            "猫咪?|小猫|狗狗?|小狗|橘猫|金毛|柯基|泰迪|布偶猫?|英短|仓鼠|兔子|鹦鹉|乌龟|宠物|宠物[猫狗]|边牧"
            "|萨摩耶|柴犬|哈士奇|拉布拉多|比熊|猫主子"
        ),
        WHO,
        frozenset((PERSON, ANIMAL, "")),
        user=True,
        bare="b",
        kind=ANIMAL,
    ),
    Noun(
        OWN_WORD,
        "责任编辑|编辑|经纪人|律师|会计|建筑师|设计师|顾问|翻译|助理|保姆|中介|理发师|摄影师|房东|邻居|室友",
        WHO,
        WHO,
        user=True,
        kind=PERSON,
    ),
    Noun("owns", "主人", frozenset((ANIMAL, PRODUCT, "")), WHO, turned=True, kind=PERSON),
    Noun("located_in", "总部|总公司所在地|所在地|办公室|实验室", frozenset((ORG, PROJECT)), WHERE),
    Noun("from", "老家|家乡|籍贯", WHO, WHERE),
    Noun(
        "works_at",
        f"(?:[^的,了]{{0,6}}?)(?:{OCCUPATIONS}|cto|cfo|coo|总监|副总裁|副总|员工|职员|科学家|首席[^的,了]{{1,4}}师)",
        frozenset((ORG,)),
        WHO,
        turned=True,
        user=True,
        kind=PERSON,
    ),
    Noun("replaces", "前身|前任|前一任|上一代", ANY - {PLACE}, ANY - {PLACE}),
    Noun(
        "replaces",
        "升级版|替代品|替代型号|继任者|后继者|接班人|下一代|替代方案|后续型号",
        ANY - {PLACE},
        ANY - {PLACE},
        turned=True,
    ),
    Noun("part_of", "组成部分|一部分|子项目|组件|插件|分支|子模块|子系统", WORKS, WORKS, turned=True),
    Noun("member_of", "成员|队员|核心成员|会员|员工", frozenset((ORG, PROJECT)), WHO, turned=True, kind=PERSON),
    Noun(
        "works_on",
        "主力|参与者|贡献者|核心开发者|维护者",
        frozenset((PROJECT, PRODUCT, TECH)),
        WHO,
        turned=True,
        kind=PERSON,
    ),
)
