"""Units and currencies under one name each, and the words that count things in Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMES: Mapping[str, str] = {
    # currencies; a pound is also a weight
    "CNY": "人民币 块钱 元钱 元 块 圆 rmb cny yuan",
    "jiao": "毛钱 毛 角",
    "USD": "美元 美金 美刀 usd dollars dollar bucks buck",
    "EUR": "欧元 欧 eur euros euro",
    "pound": "英镑 磅 gbp pounds pound lbs lb sterling quid",
    "JPY": "日元 日圆 jpy yen",
    "HKD": "港币 港元 hkd",
    "TWD": "新台币 台币 twd ntd",
    "KRW": "韩元 krw",
    "INR": "卢比 inr rupees rupee",
    "RUB": "卢布 rub roubles rubles",
    "cent": "美分 cents cent",
    # time
    "second": "秒钟 秒 seconds secs sec",
    "minute": "分钟 minutes minute mins min",
    "hour": "个小时 个钟头 小时 钟头 个钟 hours hour hrs hr h",
    "day": "天 days day",
    "night": "晚 夜 nights night",
    "week": "个星期 个礼拜 个周 星期 礼拜 周 weeks week",
    "month": "个月 months month",
    "quarter": "个季度 季度 quarters quarter",
    "age": "周岁 岁",
    "year": "年 years year yrs yr",
    # length, area
    "m": "米 metres meters metre meter m",
    "km": "公里 千米 kilometres kilometers kilometre kilometer km",
    "cm": "厘米 公分 centimetres centimeters cm",
    "mm": "毫米 millimetres millimeters mm",
    "mile": "英里 miles mile mi",
    "foot": "英尺 feet foot ft",
    "inch": "英寸 inches inch",
    "m2": "平方米 平米 平方 ㎡ m² sqm",
    "mu": "亩",
    # weight, volume
    "kg": "公斤 千克 kilograms kilogram kilos kilo kgs kg",
    "g": "克 grams gram g",
    "mg": "毫克 milligrams mg",
    "jin": "斤",
    "t": "吨 tonnes tons tonne ton",
    "oz": "盎司 ounces ounce oz",
    "l": "升 litres liters litre liter l",
    "ml": "毫升 millilitres milliliters ml",
    # the rest
    "%": "个百分点 % percent per_cent pct",
    "tenth": "成",
    "off": "折",
    "degree": "摄氏度 度 ℃ °c ° degrees degree celsius",
    "F": "华氏度 °f fahrenheit",
    "MB": "mb megabytes 兆",
    "GB": "gb gigabytes",
    "TB": "tb terabytes",
    "kcal": "大卡 千卡 kcal calories",
    "W": "瓦 watts watt",
    "kW": "千瓦 kw",
    "kWh": "度电 千瓦时 kwh",
}
UNITS: Mapping[str, str] = {
    word.replace("_", " "): name for name, words in _NAMES.items() for word in words.split(" ")
} | {"$": "USD", "us$": "USD", "hk$": "HKD", "€": "EUR", "£": "pound", "¥": "CNY"}

COUNTERS = (
    "个只本条位名张件人口次遍场家间座套辆台部杯瓶碗盒包袋号楼层门节课句页章篇首幅棵朵匹头双对份顿点分根片块粒颗排队群种类项步道封架艘"
    "年月日天周岁元秒米克斤升吨度折成倍级届期支把面堆串束滴刻角毛尺寸里亩代回趟番圈轮盘桌瓣等环"
)
"""Characters after which a single Han numeral is a number."""


def _any(words: list[str]) -> str:
    longest = sorted(words, key=len, reverse=True)
    latin = [
        f"{re.escape(word)}(?![a-z\u00c0-\u024f])" if "a" <= word[-1] <= "z" else re.escape(word) for word in longest
    ]
    return f"(?:{'|'.join(latin)})"


_BEHIND = _any([word for word in UNITS if word not in ("$", "us$", "hk$", "¥", "£")])

BEHIND = _BEHIND + "(?!级|洲|代|份|初|底|末|度假|纪)"
"""A unit behind its number, in small letters."""

BEFORE = r"(?:us\$|hk\$|\$|€|£|¥|\b(?:rmb|cny|usd|eur|gbp|hkd|jpy)\b|人民币|美元)"
"""A currency before its number."""

WORD = re.compile(f"{_BEHIND}|{BEFORE}", re.ASCII)
"""A unit anywhere."""
