"""Chinese words that stand where names could and are none, and names that everybody knows; simplified."""

from __future__ import annotations

_GENERIC = (
    "互联网 外贸 上市 国有 大型 小型 中型 初创 创业 搬家 装修 装饰 广告 保险 物业 物流 快递 科技 软件 网络 传媒 "
    "贸易 投资 咨询 建筑 设计 房产 地产 中介 旅游 旅行 出版 印刷 服装 食品 汽车 电子 游戏 影视 文化 教育 培训 "
    "金融 证券 基金 信托 家政 保洁 外包 跨国 合资 外资 民营 私营 国内 国外 国际 海外 本地 当地 附近 周边 同城 "
    "整个 全 总 分 子 母 新 老 旧 大 小 原 前 某 各 多 几 两 三 十 家 自己 自家 我们 咱们 你们 他们 她们 一家 "
    "这家 那家 哪家 每家 另一家 这个 那个 一个 同一 目前 现在 之前 以前 隔壁 楼下 对面 对方 甲方 乙方 客户 合作 "
    "供应商 代理 第三方 知名 著名 顶尖 龙头 头部 一流 普通 重点 名牌 综合 理工 师范 医科 农业 职业 技术 专科 "
    "本科 老年 成人 开放 电视 社区 私立 公立 国立 民办 三甲 三级 二甲 儿童 妇幼 妇产 妇科 口腔 眼科 宠物 动物 "
    "中医 西医 骨科 精神 肿瘤 体检 整形 美容 定点 附属 人民 市立 市 省 县 区 镇 村 校 院 商业 开户 手机 网上 "
    "发卡 工资 贷款 中央 地方 城市 世界 国家 科学 扫地 工业 智能 聊天 服务 陪伴 送餐 送货 拖地 人工 医疗 机器 "
    "协作 人形 办公 杀毒 绘图 剪辑 修图 理财 记账 翻译 社交 导航 学习 财务 管理 应用 系统 电脑 建模 会议 冷链 "
    "快运 仓储 跨境 电商 高 高新 黑 前沿 现代 生命 信息 数字 航天 传统 中国 美国 日本 西方 东方 企业 公司 校园 "
    "饮食 茶 酒 民俗 历史 流行 家庭 学校 早期 素质 义务 高等 继续 学前 艺术 体育 音乐 美术 心理 健康 法律 安全 "
    "性 亲子 新闻 无线 有线 人际 关系 社会 神经 二手 新能源 电动 私家 进口 国产 婚庆 搬运 制作 修复 维修 回收 "
    "打印 物管 供电 供水 出租 租赁 担保 信贷 征信 典当 拍卖 咖啡 奶茶 个体 豪华 家用 养老 车 人寿 重疾 意外 补充 "
    "失业 工伤 生育 财产 绿色 速冻 垃圾 冷冻 零 保健 有机 室内 平面 景观 产品 交互 界面 视觉 课程 教学 方案 风 "
    "太阳 清洁 可再生 正 负 免费 线上 线下 在线 远程 古 古典 标志性 公募 私募 股票 指数 货币 债券 公积 核心 最新 "
    "相关 基本 详细 个人 市场 用户 联系 重要 有用 关键 第一 多种 各种 大量 新型 先进 数 测试 训练 实验 基础 原始 "
    "运动 竞技 水上 极限 单机 桌面 桌游 玩 移动 身心 身体 家人 长期 血管 女性 男性 智慧 基层 内在 购买 驱 工作 "
    "家乡 自由 跟团 乡村 红色 生态 自驾 五星 星级 快捷 经济 商务 连锁 度假 主题 民宿 胶囊 预订 青年 独立 新华 "
    "实体 街角 小众 日常 农村 城镇 基础设施 团队 能力 文明 家园 党 品牌 中式 西式 建材 环保 包装 复合 保温 施工 "
    "产业 精准 公益 知识 技能 专业 深度 家校 爱国 情感 生活 挫折 课外 校外 劳动 中小学 同事 朋友 老师 学生 亲戚 "
    "员工 医生 律师 会计师 会计 税务 写作 学术 科研 摄影 私人 市区 城区 老城区 乡镇 学区 公办 双语 外国语 寄宿 "
    "健身 读书 书法 羽毛球 乒乓球 足球 篮球 网球 台球 跑步 登山 骑行 业主 行业 商 自然 名人 大学 工艺 陶瓷 交警 "
    "消防 辖区 户籍 中级 高级 最高 本 该 贵 母校 中心 商行 手工 私房 影楼 烘焙 花艺 陶艺 木工 人力资源 猎头 劳务 "
    "租车 代账 会展 策划 公关 模特 演艺 唱片 安保 保安 矿业 石油 钢铁 电力 水务 燃气 公交 地铁 铁路 航空 航运 "
    "货运 客运 货代 船 报关 加工 制造 生产 生物 医药 医疗器械 化妆品 日化 家具 家电 数码 通讯"
)
GENERIC = frozenset(_GENERIC.split())
"""What before the ending of an organisation names nothing: 互联网公司, 附近的银行."""
_COMMON = (
    "王国 王者 王牌 王子 王朝 高美 美丽 美国 美好 美食 美容 宝贝 宝宝 小美人 宝藏 是金 安美 成美 全美 "
    "公司 单位 学校 医院 银行 大家 大学 政府 国家 社会 市场 行业 企业 集团 平台 系统 网站 产品 项目 工程 程序 "
    "软件 应用 后端 前端 数据库 接口 服务 模块 功能 团队 小组 部门 组织 机构 协会 全家 家人 孩子 宝宝 自己 别人 "
    "人家 对方 双方 本人 客户 用户 顾客 老板 同事 同学 朋友 邻居 医生 老师 学生 妈妈 爸爸 爷爷 奶奶 哥哥 姐姐 "
    "弟弟 妹妹 老公 老婆 丈夫 妻子 父母 爸妈 儿子 女儿 小孩 男生 女生 先生 女士 小姐 阿姨 叔叔 专家 作者 作家 "
    "今天 明天 昨天 后天 前天 今年 明年 去年 前年 最近 现在 目前 以前 以后 之前 之后 早上 晚上 中午 下午 上午 "
    "当时 后来 同时 平时 一直 已经 因为 所以 但是 不过 而且 如果 虽然 其实 可能 应该 可以 需要 必须 一定 非常 "
    "特别 比较 真的 然后 于是 还是 或者 以及 关于 对于 根据 通过 地方 时候 时间 东西 事情 问题 方法 方式 方面 "
    "情况 原因 结果 目标 计划 方案 内容 材料 文件 资料 信息 消息 新闻 报告 合同 协议 文章 小说 故事 电影 电视剧 "
    "歌曲 音乐 游戏 比赛 活动 会议 课程 考试 作业 论文 研究 工作 生活 学习 旅行 旅游 运动 健身 饮食 睡眠 身体 "
    "心情 感觉 感情 关系 手机 电脑 相机 汽车 房子 房间 家里 店里 公司里 学校里 班里 城市 农村 乡下 老家 家乡 "
    "国内 国外 外地 本地 附近 这里 那里 哪里 市区 郊区 海边 整体 整个 全部 所有 每个 各个 其他 其它 另外 主要 "
    "重要 核心 基本 最终 最后 首先 其次 第一 第二 官方 对手 敌人 主角 男主 女主 配角 导演 演员 小王子 小猫 小狗 "
    "小店 小区 小镇 小时 小学 小心 小米 小麦 小吃 老人 老年 老爸 老妈 老友 老乡 老大 老二 老城 老街 老店 阿婆 "
    "阿公 前台 后台 总部 分店 门店 工厂 车间 仓库 食堂 宿舍 教室 办公室 会议室 厨房 客厅 卧室 阳台 花园 公园 "
    "商场 超市 餐厅 酒店 机场 车站 地铁 开源 开发 设计 测试 运营 销售 财务 人事 行政 采购 研发 技术 产品线 业务 "
    "客服 物流 供应链 品牌 商标 专利 版本 代码 算法 模型 架构 框架 语言 整套 新版 旧版 老版 二期 一期 三期 主站 "
    "官网 小程序 公众号 管理员 管理 组长 班长 主任 经理 总监 领导 上级 下属 高层 股东 董事会 委员会 高兴 方便 "
    "马上 周末 黄金 白天 金钱 安全 安静 安心 安康 平安 平静 文明 文化 文字 成功 成长 成本 明星 明白 时光 阳光 "
    "温和 温柔 温暖 方言 高明 高雅 高中 高考 高铁 高峰 黄河 江河 江南 江苏 江西 海南 云南 河南 河北 湖南 湖北 "
    "山东 山西 金星 金鱼 水星 白云 白雪 白酒 白领 马路 马桶 牛奶 牛肉 石头 石油 花费 毛衣 毛病 雷雨 雷达 龙舟 "
    "龙虾 林业 林区 任务 任何 单身 单纯 单子 项链 谢谢 车子 车位 房东 房贷 管道 常年 常常 全身 全国 全天 全文 "
    "祝福 祝愿 向日 向东 向西 路上 路边 路线 路程 华为 包子 包包 包装 卫生 卫星 解决 解释 解放 强大 强烈 柴火 "
    "司机 司法 时尚 时期 左右 左边 简单 简直 顾问 顾虑 舒服 舒适 商业 商务 商家 景色 景点 盛夏 盛大 童年 童话 "
    "边境 温泉 温度 康复 康乃馨 金色 金属 万一 万元 万年 成年 成都 成名 成家 甘心 甘蔗 严重 严格 常见 段子 段位 "
    "钱包 钱财 易碎 易怒 贺卡 贺词 尚未 冷静 冷清 冷天 关心 关键 关注 关爱 纪念 纪律 同龄 夏天 夏季 秋天 冬天 "
    "春天 春节 夏日 星期 星星 雨天 雪天 云海 云朵 江水 海水 海洋 海鲜 东方 田野 田园 梅花 梅雨 荷花 莲花 桃花 "
    "樱花 兰花 菊花 桂花 武术 武器 文学 文艺 文案 文科 方向 程度 曲子 曲线 曲目 谷子 谷物 焦虑 焦点 齐全 向导 "
    "游客 游泳 查看 查询 宁静 宁愿 桂圆 华丽 华语 安排 安装 安慰 成绩 成果 成就 成员 成立 成品 查房 查找 任职 "
    "任性 强制 强化 强度 申请 申报 费心 费用 费力 景观 毛色 毛线 文具 文献 文本 文创 范围 范儿 高级 高速 高效 "
    "高压 关门 管家 古代 古典 花样 花纹 花色 黄色 江景 孔雀 冷藏 黎明 连接 林荫 凌晨 龙头 路过 马甲 米饭 明确 "
    "莫名 牛仔 平均 全面 全程 商量 石膏 时段 舒展 舒缓 施展 施工 宋词 苏打 孙子 沙龙 沙溪 唐诗 陶艺 温润 温水 "
    "武义 席位 夏装 萧条 熊猫 徐徐 许多 许愿 严肃 颜色 杨梅 叶片 殷勤 应急 郁闷 云端 张罗 张贴 章节 郑重 周期 "
    "周边 周围 周报 庄园 卓越 左侧 陈列 陈旧 柳树 金文 小姨 小姑 小舅 小叔 小婶 小熊 赖床 白肚 苏宁 温州 常州 "
    "柳州 石家 康定 安宁 康宁 房型 房租 车费 车程 车厢 车票 高温 高管 高端 金牌 金币 水果 余下 全新 全都 单价 "
    "单词 席间 管用 连夜 连忙 解压 解锁 华人 常用 时而 时不 周一 周二 周三 周四 周五 周六 周日 周天 时长 薄荷 "
    "何时 高达 高强 高度 万能 方圆 尤其 易经 温馨 康熙 史诗 史书 古诗 石榴 石英 雷同 钟表 钟头 钟点 汤圆 江湖 "
    "池塘 沙发 沙滩 沙漠 叶子 余额 余生 余地 于此 何况 何必 何种"
)
COMMON = frozenset(_COMMON.split())
"""Words that stand where a name could and are none."""
_NO_LATIN = (
    "ok okay ai app apps ppt ceo cto cfo coo hr it pk diy vip kpi okr bug pm am tv pc id sop polo faq pdf excel "
    "word logo wifi usb led lcd cpu gpu ram ssd bgm mv cd dvd cp up ui ux ip rmb usd gdp b2b b2c o2o kol mcn emo "
    "gps ct mri bmi kg km cm mm ml hi hello bye yes no thanks the a an and or but to in on at of for i you he "
    "she we they my your is are was be do lol omg ps vs etc ddl deadline todo q1 q2 q3 q4 vlog demo beta url api "
    "sdk http https www email e-mail cos model pro max plus note power questions cafe mesh day mate radio mini "
    "lite baas saas ups ppe plc pvc pos mvp roi mk bcaa ootd copd uv sp bx hg jr suv mpv asmr cpr livehouse "
    "wi-fi xx xxx sca infp infj intj intp enfp enfj entj entp isfp isfj istj istp esfp esfj estj estp nfc ota "
    "hiit aed ldl hdl bbq tvb lof etf ipo cpi diss battle live offer mbti isbn sku poi gap party size low high "
    "new old phd mba emba dj mc ktv spa pose cosplay show tony iq eq dna rna pcr covid nba cba fifa iso gb mp3 "
    "mp4 jpg png gif csv json xml vat dm pr ar vr xr 3d 2d 4k hd fps rpg moba pvp npc boss buff"
)
NO_LATIN = frozenset(_NO_LATIN.split())
"""Latin words within Chinese that name nothing in particular."""
_PLACES = (
    "北京 上海 天津 重庆 广州 深圳 杭州 南京 苏州 武汉 成都 西安 长沙 郑州 青岛 济南 大连 沈阳 哈尔滨 长春 福州 "
    "厦门 宁波 无锡 合肥 南昌 昆明 贵阳 南宁 海口 三亚 太原 石家庄 兰州 西宁 银川 乌鲁木齐 拉萨 呼和浩特 东莞 "
    "佛山 珠海 中山 惠州 汕头 温州 绍兴 嘉兴 湖州 金华 台州 义乌 常州 南通 徐州 扬州 镇江 泰州 盐城 连云港 烟台 "
    "威海 潍坊 淄博 临沂 洛阳 开封 桂林 柳州 北海 大理 丽江 香格里拉 西双版纳 泉州 漳州 莆田 九江 赣州 景德镇 "
    "宜昌 襄阳 岳阳 株洲 湘潭 张家界 衡阳 绵阳 乐山 宜宾 遵义 保定 唐山 秦皇岛 廊坊 大同 包头 敦煌 喀什 吐鲁番 "
    "黄山 芜湖 蚌埠 昆山 常熟 江阴 千岛湖 莫干山 乌镇 香港 澳门 台北 台湾 高雄 台中 新竹 河北 山西 辽宁 吉林 "
    "黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 贵州 云南 陕西 甘肃 青海 内蒙古 广西 "
    "西藏 宁夏 新疆 中国 美国 英国 法国 德国 日本 韩国 新加坡 泰国 越南 马来西亚 印度 俄罗斯 加拿大 澳大利亚 "
    "新西兰 意大利 西班牙 葡萄牙 荷兰 瑞士 瑞典 挪威 丹麦 芬兰 希腊 土耳其 埃及 巴西 阿根廷 墨西哥 东京 大阪 "
    "京都 首尔 曼谷 清迈 巴黎 伦敦 纽约 洛杉矶 旧金山 西雅图 波士顿 柏林 慕尼黑 罗马 米兰 巴塞罗那 马德里 里斯本 "
    "阿姆斯特丹 悉尼 墨尔本 多伦多 温哥华 莫斯科 迪拜 浦东 浦西 陆家嘴 中关村 望京 西湖 杨浦 徐汇 静安 虹口 "
    "朝阳区 海淀"
)
PLACES = frozenset(_PLACES.split())
"""Places that are names wherever they stand."""
_TECHNOLOGIES = (
    "python java javascript typescript rust go golang c++ c# kotlin swift ruby php scala lua sql html css "
    "fastapi django flask spring springboot react vue angular svelte next.js nuxt node.js nodejs express "
    "postgresql postgres mysql sqlite redis mongodb elasticsearch kafka rabbitmq clickhouse duckdb oracle docker "
    "kubernetes k8s linux ubuntu debian windows macos ios android git github gitlab nginx pytorch tensorflow "
    "numpy pandas spark flink hadoop airflow terraform ansible grafana prometheus graphql grpc websocket "
    "webassembly electron flutter unity unreal blender figma photoshop celery hdf5 s3 aws azure gcp"
)
TECHNOLOGIES = frozenset(_TECHNOLOGIES.split())
"""Technologies that are names in small letters too."""
_KINDS = (
    "开源 重点 科研 研究 投资 合作 运动 训练 体育 比赛 收费 检查 体检 志愿 公益 创业 建设 工程 培训 娱乐 游乐 "
    "装修 改造 实习 毕业 实验 国家 重大 大型 小型 长期 短期 核心 关键 试点 示范 旅游 美食 社区 学校 公司 团队 "
    "个人 商业 文化 艺术 教育 环保 扶贫 乡村 重要 紧急 外包 内部 外部 主要 相关 具体 类似 热门 特色 体验 付费 "
    "免费 治疗 手术 康复 理疗 后端 前端 数据 设计 技术 软件 系统 平台 产品 新能源 支付 推荐 搜索 迁移 升级 优化 "
    "手工 非遗 传统 户外 室内 水上 团建 亲子 家庭 互动 支线 副业 理财 定投 保险 服务"
)
KINDS = frozenset(_KINDS.split())
"""Sorts of projects: 重点项目 has no name."""
_KIND_ENDS = (
    "类 型 性 级 化 改造 建设 培训 训练 合作 研究 装修 投资 体验 检查 开发 优化 升级 设计 服务 治疗 管理 活动 "
    "保险 调研 推广 运营 采购 创业 实践 志愿 安装 翻新 接线 区 市 省 上 下 中 各 的"
)
KIND_ENDS = tuple(_KIND_ENDS.split())
_KIND_STARTS = (
    "独立 固定 具体 完整 零散 主要 可以 先 按照 根据 因 为了 需 想 再 该 此 新 老 确 完 丰富 办法 部分 手头 支出 "
    "消费 辅助 参赛 记录 观察 创作 专栏 社区 沟通 整理 些"
)
KIND_STARTS = tuple(_KIND_STARTS.split())
