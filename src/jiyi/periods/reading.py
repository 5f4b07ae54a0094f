"""Periods read out of a text: both languages, the writing made plain first, the zone put on last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from jiyi.errors import InvalidInput
from jiyi.periods.spans import Precision, Recurs, Words


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that some words of a text mean.

    Attributes:
        start: in the zone of the moment that it was read against; None in "before May".
        end: not included; None in "since May".
        begin: offset of the first character of the words.
        stop: offset after the last one.
        quote: the words.
        precision: how exact they are.
        relative: counted from now (上周, two weeks ago), not a date of the calendar.
        recurs: what the words leave open: of which week, month or year.  ``start`` and ``end`` are then the latest that
            had begun.
    """

    start: datetime | None
    end: datetime | None
    begin: int
    stop: int
    quote: str
    precision: Precision
    relative: bool
    recurs: Recurs | None


# one character for one, so that offsets stay
_PLAIN = str.maketrans(
    {0xFF01 + code: chr(0x21 + code) for code in range(94)}
    | {"\u3000": " ", "\u00a0": " ", "\u2019": "'", "～": "~", "○": "〇", "Ｏ": "〇"}
    | dict(
        zip(
            "預塊錢歡愛討厭養貓對藥醫師員經買賣學媽爺婦號碼郵請別許準嚴應約訂門診術機場飛計劃畫備決選擇職業單"
            "廠長監護務會議結離懷頭視壓鳥龜魚馬豬級園畢專論彈遊戲運動體檢輛隻條張雙藝記憶試驗證簽辦稱讓給帶親"
            "誰嗎沒無從該題問認識覺產銷圖館銀醬蔥薑蝦雞鴨麵飯飲鹽熱鬧腸癥淚療針劑癢讀書寫練習慣闆閨樂團隊裝鎖"
            "鑰鄰衛鐵牆漲資費價總帳賬據貴賓廳廚燒羅蘭蘇衝補課樣種類絕幫訴謝聽見夢將實際聯繫絡標綫線擁擔餘額滿"
            "換購貨發賞東頂寶貝孫姪嬸嶽週個後點兩這過內節聖誕慶國來禮勞當時間開現舊們說陽歲淩華幾還數剛鐘為與"
            "進裡裏參處聲聰樓車網麼農曆刪電腦億萬領導戶歷髮麗齡紅綠藍黃頓顧續組織績終紹緊縣廣慮戀戰揀搶損擾攝"
            "敗斷曬極榮橋檔歸減溫灣爐獎環異盡盤稅穩競筆簡糧紙細絲維緩縮膽臉膚臟蟲複規觸訓設評詞話詳語誤調談貼"
            "貿賠賽軍載較輕轉邊釣鋼錄錯鍋鍛鍵鎮鏡閉閒關陳陸隨險難雲霧靜頁順須頻顏顯風飽驚騎駕髒鮮麥齊龍嚕懶爛"
            "釐膠臺灘島陰陣遠達遲連迴適遺鄉醜釋鈴鉛銅鋪鋒錶鐲"
            "創負責屬隸軟執劇編併爭協構傳飾諮詢訊娛劉趙吳鄭馮蔣鄧蕭葉閻譚鄒龔喬龐盧賈鍾韓莊蘆魯韋聶叢遷採庫僱營撐"
            "賀鮑歐湯鄺鄔賁鈞銘濤偉強傑軒瑋曉燁倫輝鳳瓊潔嬌艷寧諾謙誠澤潤濱瀾蓮薈",
            "预块钱欢爱讨厌养猫对药医师员经买卖学妈爷妇号码邮请别许准严应约订门诊术机场飞计划画备决选择职业单"
            "厂长监护务会议结离怀头视压鸟龟鱼马猪级园毕专论弹游戏运动体检辆只条张双艺记忆试验证签办称让给带亲"
            "谁吗没无从该题问认识觉产销图馆银酱葱姜虾鸡鸭面饭饮盐热闹肠症泪疗针剂痒读书写练习惯板闺乐团队装锁"
            "钥邻卫铁墙涨资费价总账账据贵宾厅厨烧罗兰苏冲补课样种类绝帮诉谢听见梦将实际联系络标线线拥担余额满"
            "换购货发赏东顶宝贝孙侄婶岳周个后点两这过内节圣诞庆国来礼劳当时间开现旧们说阳岁凌华几还数刚钟为与"
            "进里里参处声聪楼车网么农历删电脑亿万领导户历发丽龄红绿蓝黄顿顾续组织绩终绍紧县广虑恋战拣抢损扰摄"
            "败断晒极荣桥档归减温湾炉奖环异尽盘税稳竞笔简粮纸细丝维缓缩胆脸肤脏虫复规触训设评词话详语误调谈贴"
            "贸赔赛军载较轻转边钓钢录错锅锻键镇镜闭闲关陈陆随险难云雾静页顺须频颜显风饱惊骑驾脏鲜麦齐龙噜懒烂"
            "厘胶台滩岛阴阵远达迟连回适遗乡丑释铃铅铜铺锋表镯"
            "创负责属隶软执剧编并争协构传饰咨询讯娱刘赵吴郑冯蒋邓萧叶阎谭邹龚乔庞卢贾钟韩庄芦鲁韦聂丛迁采库雇营撑"
            "贺鲍欧汤邝邬贲钧铭涛伟强杰轩玮晓烨伦辉凤琼洁娇艳宁诺谦诚泽润滨澜莲荟",
            strict=True,
        )
    )
)
# without one of these there is no period: the languages are not even loaded
_ENGLISH = re.compile(
    r"(?:19|20)[0-9][0-9]|\bq[1-4]"
    r"|\b(?:hour|day|week|fortnight|month|year)s? (?:and a half )?(?:ago|back|from now)\b"
    r"|\b(?:last|this|next|the (?:past|previous|coming|other day)|(?:yester|to|sun|mon|tues|wednes"
    r"|thurs|fri|satur)day"
    r"|to(?:night|morrow)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|fall|autumn"
    r"|winter|weekend|quarter|christmas|xmas|new year|halloween|thanksgiving|valentine|easter|chinese new|lunar"
    r"|mid-autumn|dragon|lantern|mother's|father's|independence|the fourth|recently|lately)",
    re.ASCII,  # Han may stand before
)
_CHINESE = re.compile("[年月周天日晚早昨儿近期拜节庆旦夕诞秋午夜前季假圣双宵阵段]|[0-9][-/.][0-9]")


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """Reads the periods of time that a text names, in order of their words; what is not sure gives none.

    Never fails on any text.  Takes time in proportion to its length.

    Args:
        text: Chinese, English or both.
        now: when it was written or asked, with its time zone: that of the speaker, since days begin there.

    Raises:
        InvalidInput: ``now`` has no time zone.
    """
    zone = now.tzinfo
    if zone is None:
        raise InvalidInput("now", "has no time zone; days begin at midnight somewhere, so give one, such as UTC")
    low = plain(text)
    local = now.replace(tzinfo=None)
    found: list[Words] = []
    # imported when a text first has such words: their expressions take some 20 ms to compile
    if not text.isascii() and _CHINESE.search(low):
        from jiyi.periods.chinese import chinese

        found = chinese(low, local)
    if _ENGLISH.search(low):
        from jiyi.periods.english import english

        found = _apart(found, english(text, low, local))
    return tuple(period for words in found if (period := _period(text, words, zone)))


def plain(text: str) -> str:
    """A text in lower case, simplified characters and half width, character by character, so that offsets stay.

    Simplified are the characters that words of time and the rules for facts are made of, not all there are.
    """
    if text.isascii():
        return text.lower()
    same = text.translate(_PLAIN)
    low = same.lower()
    return low if len(low) == len(same) else "".join(char.lower() if char.isascii() else char for char in same)


def _apart(chinese: list[Words], english: list[Words]) -> list[Words]:
    """Both in order; where they overlap, the longer."""
    if not chinese or not english:
        return chinese or english
    kept: list[Words] = []
    for words in sorted(chinese + english, key=lambda words: words.begin - words.stop):
        if all(words.stop <= other.begin or other.stop <= words.begin for other in kept):
            kept.append(words)
    return sorted(kept)


def _period(text: str, words: Words, zone: tzinfo) -> Period | None:
    span = words.span
    start = span.start and span.start.replace(tzinfo=zone)
    end = span.end and span.end.replace(tzinfo=zone)
    if start is None and end is None or (start and end and start >= end):
        return None
    return Period(
        start, end, words.begin, words.stop, text[words.begin : words.stop], span.precision, span.relative, span.recurs
    )
