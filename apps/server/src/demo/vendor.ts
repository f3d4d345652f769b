/** Names of the demo's vendor and tenants, in one file so that a test can count them. */

export const DEMO_ACCOUNT = 'demo'
export const DEMO_PASSWORD = 'Demo-2026'
/** Two persons of the review of ads. They have the password of the demo account. */
export const DEMO_AD_OPERATOR = 'qin.lan'
export const DEMO_AD_AUDITOR = 'du.wei'

/** Account, name, role codes of the platform. */
export const STAFF = [
  ['zhou.yi', '周逸', ['ops_manager']],
  ['lin.xiaowen', '林晓雯', ['customer_manager']],
  ['chen.hao', '陈浩', ['device_engineer']],
  ['xu.jing', '徐静', ['aftersales_agent']],
  ['ma.tianyu', '马天宇', ['aftersales_lead']],
  ['he.miao', '何苗', ['device_engineer']],
  ['gao.yuan', '高远', ['auditor']],
  ['tang.qi', '唐琪', ['auditor']],
  ['song.lei', '宋磊', ['ops_manager', 'auditor']],
  ['fan.rui', '范蕊', []],
  [DEMO_AD_OPERATOR, '秦岚', ['ad_operator']],
  [DEMO_AD_AUDITOR, '杜蔚', ['ad_auditor']],
] as const

/**
 * Name, short name, contact, telephone, level (1 ordinary, 2 key, 3 strategic), days until expiry, additional
 * scenes.
 */
export const DEMO_TENANTS = [
  [
    '杭州海川智能科技有限公司',
    '海川智能',
    '孙海川',
    '13957100001',
    3,
    720,
    ['firmware_full', 'self_service', 'voice_agents'],
  ],
  ['深圳市云栖安防设备有限公司', '云栖安防', '黄嘉铭', '13825200002', 3, 540, ['firmware_full', 'self_service']],
  ['苏州启明新能源有限公司', '启明新能源', '陆启明', '13862100003', 2, 365, ['firmware_full']],
  ['成都蓉城物业服务有限公司', '蓉城物业', '杨柳青', '13608000004', 2, 210, []],
  ['青岛远洋冷链物流有限公司', '远洋冷链', '王海涛', '13953200005', 2, 180, ['self_service']],
  ['南京栖霞教育装备有限公司', '栖霞教育', '顾思远', '13851700006', 1, 90, []],
  ['武汉长江智慧楼宇有限公司', '长江楼宇', '叶知秋', '13871000007', 1, 60, []],
  ['厦门鹭岛酒店管理有限公司', '鹭岛酒店', '郑书瑶', '13959200008', 1, 12, []],
  ['西安古城文旅发展有限公司', '古城文旅', '罗文博', '13991800009', 1, -9, []],
  ['天津滨海机械制造有限公司', '滨海机械', '冯国强', '13920700010', 1, 300, []],
] as const
/** Tenant disabled by the vendor. */
export const DISABLED_CUSTOMER = '天津滨海机械制造有限公司'
/** Names of each tenant's accounts besides the administrator. Larger tenants have more accounts. */
export const CUSTOMER_PEOPLE = ['李婷', '赵鹏', '吴倩', '刘洋', '胡敏', '朱凯'] as const

/** Type name, type code, and models with name, code and versions. */
export const DEVICES = [
  [
    '智能摄像机',
    'camera',
    [
      ['C10 室内摄像机', 'C10', 'C'],
      ['C20 云台摄像机', 'C20', 'C'],
      ['C30 枪型摄像机', 'C30', 'C'],
    ],
  ],
  [
    '可视门铃',
    'doorbell',
    [
      ['D5 可视门铃', 'D5', 'D'],
      ['D7 猫眼门铃', 'D7', 'D'],
    ],
  ],
  [
    '智能音箱',
    'speaker',
    [
      ['S1 小音箱', 'S1', 'S'],
      ['S2 带屏音箱', 'S2', 'S'],
    ],
  ],
  [
    '广告屏',
    'signage',
    [
      ['P21 竖屏一体机', 'P21', 'P'],
      ['P43 横屏一体机', 'P43', 'P'],
    ],
  ],
  ['物联网关', 'gateway', [['G1 边缘网关', 'G1', 'G']]],
] as const
export const VERSIONS_PER_MODEL = 4
export const DEMO_FIXES = [
  '修复弱网下断线后不能自动重连的问题；优化启动时间',
  '新增人形检测开关；夜视画面噪点降低',
  '升级安全组件，修复已知漏洞；证书到期前自动更新',
  '首个正式版本',
] as const

/** Scene name, code, default, permissions (`prefix:*` means the whole page). */
export const DEMO_SCENES = [
  [
    '基础运营',
    'basic',
    1,
    ['system:manager:*', 'system:rolemanagement:*', 'system:loginLog:list', 'system:operLog:list'],
  ],
  [
    '固件查看',
    'firmware_view',
    1,
    ['upgrade:ota:list', 'upgrade:ota:query', 'device:apkManage:list', 'device:apkManage:query'],
  ],
  ['固件管理', 'firmware_full', 0, ['upgrade:ota:*', 'device:apkManage:*']],
  [
    '客户服务',
    'service',
    1,
    [
      'tenantManage:userapplication:*',
      'AccountAdministration:accountList:*',
      'AfterService:Equipment:*',
      'AfterService:PendingList:*',
      'AfterService:StatisticAnalysis:*',
      ...['list', 'query', 'submit', 'add', 'edit', 'assign', 'merge', 'template', 'export', 'print'].map(
        (action) => `AfterService:Questions:${action}`,
      ),
      'LicenseManage:Certificate:list',
      'LicenseManage:Certificate:query',
      'index:indexScreen:bigScreen',
    ],
  ],
  [
    '自助服务',
    'self_service',
    0,
    ['system:noticeManage:*', 'system:webhooks:*', 'system:operLog:*', 'system:loginLog:*'],
  ],
  [
    '语音智能体',
    'voice_agents',
    0,
    [
      ...['agent', 'config', 'device', 'voiceprint', 'voice', 'params'].map((page) => `agent:${page}:*`),
      ...['template', 'order'].flatMap((page) => [`agent:${page}:list`, `agent:${page}:query`]),
      ...['add', 'edit', 'close'].map((action) => `agent:order:${action}`),
    ],
  ],
] as const

/** Title, type (1 notice, 2 announcement, 3 system), priority, content. */
const HOLIDAY = '春节假期值班安排'
export const DEMO_NOTICES = [
  [HOLIDAY, 1, 2, '值班表已更新，请各组组长核对本组人员与电话，如有调整请在节前一周提交。'],
  ['C20 云台摄像机 4.2 版本灰度计划', 1, 3, '先在 3 家客户的 5% 设备上升级，观察 48 小时无异常后全量。'],
  ['数据库例行维护通知', 3, 3, '本周六 02:00～03:00 进行例行维护，期间页面可能有几秒不可用，设备连接不受影响。'],
  ['新版操作手册上线', 2, 1, '手册增加了固件上传与断点续传的说明，欢迎反馈。'],
  ['账号安全提醒', 3, 3, '请尽快启用两步验证；长期不使用的账号将被停用。'],
  ['客户分级标准调整', 1, 2, '自下月起按年度设备量与服务级别共同评定客户级别。'],
  ['鹭岛酒店合同即将到期', 1, 3, '合同将在两周内到期，请客户经理跟进续约。'],
  ['D7 猫眼门铃夜视问题说明', 1, 2, '现场反馈的夜视偏紫问题已定位，修复版本正在验证。'],
  ['第三季度运营月报', 2, 1, '升级成功率 98.7%，平均升级时长 3 分 40 秒，详见附表。'],
  ['机房搬迁完成', 3, 2, '文件存储已全部迁移，下载速度提升约三成。'],
  ['固件签名证书更新', 1, 3, '新证书已启用，旧证书三个月后停止使用，请勿使用旧工具打包。'],
  ['新同事入职欢迎', 2, 1, '欢迎何苗、范蕊加入设备工程组与运营组。'],
  ['满意度调查', 2, 1, '请在月底前完成内部系统满意度调查，大约需要 3 分钟。'],
  ['S2 带屏音箱停产通知', 1, 2, 'S2 将于年底停产，维护期三年，固件继续更新。'],
  ['接口文档开放', 3, 1, '接口文档可在「关于我们」中查看，集成同事请以此为准。'],
  ['审计结果通报', 1, 2, '本季度权限审计未发现越权账号，清理停用账号 6 个。'],
] as const
/** Notices that concern only the platform. Accounts of tenants do not receive these notices. */
export const PLATFORM_ONLY_NOTICES: ReadonlySet<string> = new Set([
  'C20 云台摄像机 4.2 版本灰度计划',
  '客户分级标准调整',
  '鹭岛酒店合同即将到期',
  '第三季度运营月报',
  '新同事入职欢迎',
  '满意度调查',
  '审计结果通报',
])
export const READ_BY_DEMO = DEMO_NOTICES.length - 12
export const DRAFT_NOTICE = '年度客户大会筹备'
export const CUSTOMER_NOTICE = '战略客户专属服务说明'

/** Returns a pseudo-random generator with the same numbers at every start. */
export function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
