import { AD_DICTIONARIES } from './dict-seed-ads.ts'
import type { TagColour } from './dict.ts'

/** One shipped entry: value, label and, unless plain, the colour of its tag. */
export type SeedEntry = readonly [value: string, label: string, listClass?: TagColour]
export interface SeedType {
  readonly type: string
  readonly name: string
  readonly entries: readonly SeedEntry[]
  /** Default value of forms. */
  readonly standard?: string
}

const SYSTEM: readonly SeedType[] = [
  {
    type: 'sys_user_sex',
    name: '用户性别',
    entries: [
      ['1', '男'],
      ['2', '女'],
    ],
  },
  {
    type: 'sys_notice_type',
    name: '通知类型',
    standard: '1',
    entries: [
      ['1', '通知', 'primary'],
      ['2', '公告', 'success'],
      ['3', '系统消息', 'info'],
    ],
  },
  {
    type: 'sys_notice_status',
    name: '通知状态',
    entries: [
      ['0', '草稿', 'default'],
      ['1', '已发布', 'success'],
      ['2', '已撤回', 'warning'],
    ],
  },
  {
    type: 'sys_oper_type',
    name: '操作类型',
    entries: [
      ['1', '新增', 'success'],
      ['2', '修改', 'primary'],
      ['3', '删除', 'danger'],
      ['4', '授权', 'warning'],
      ['5', '导出', 'info'],
      ['6', '导入', 'info'],
      ['7', '强制下线', 'danger'],
      ['9', '清空', 'danger'],
      ['0', '其他', 'default'],
    ],
  },
  {
    type: 'sys_common_status',
    name: '操作结果',
    entries: [
      ['1', '成功', 'success'],
      ['0', '失败', 'danger'],
    ],
  },
]

const FEEDBACK: readonly SeedType[] = [
  {
    type: 'feedback_status',
    name: '工单状态',
    standard: '1',
    entries: [
      ['1', '分析中', 'primary'],
      ['2', '修改中', 'info'],
      ['3', '验证中', 'warning'],
      ['4', '已挂起', 'default'],
      ['5', '已关闭', 'success'],
    ],
  },
  {
    type: 'feedback_problem_type',
    name: '问题类型',
    entries: [
      ['1', '硬件故障', 'danger'],
      ['2', '软件故障', 'warning'],
      ['3', '改进建议', 'info'],
    ],
  },
  {
    type: 'feedback_hardware',
    name: '硬件问题',
    entries: [
      ['1', '电源'],
      ['2', '主控'],
      ['3', '元器件'],
      ['4', '音频'],
      ['5', '网络'],
      ['6', 'WIFI'],
      ['7', 'SENSOR'],
      ['8', '存储（TF卡）'],
      ['9', '灯板'],
      ['99', '其他'],
    ],
  },
  {
    type: 'feedback_software',
    name: '软件问题',
    entries: [
      ['1', '功能建议'],
      ['2', '用户体验'],
      ['3', '性能'],
      ['4', 'BUG'],
      ['99', '其他'],
    ],
  },
  {
    type: 'feedback_structure',
    name: '结构问题',
    entries: [
      ['1', '三防'],
      ['2', '包装'],
      ['3', '安装便利性'],
      ['4', '散热'],
      ['5', '可靠性'],
      ['99', '其他'],
    ],
  },
]

const TENANTS: readonly SeedType[] = [
  {
    type: 'company_size',
    name: '企业规模',
    entries: [
      ['1', '20人以下'],
      ['2', '20-99人'],
      ['3', '100-499人'],
      ['4', '500人及以上'],
    ],
  },
  {
    type: 'tenant_level',
    name: '客户级别',
    standard: '1',
    entries: [
      ['1', '普通', 'default'],
      ['2', '重点', 'primary'],
      ['3', '战略', 'warning'],
    ],
  },
  {
    type: 'apply_status',
    name: '加入申请状态',
    entries: [
      ['0', '待审批', 'warning'],
      ['1', '已通过', 'success'],
      ['2', '已驳回', 'danger'],
      ['3', '已取消', 'default'],
      ['4', '已过期', 'default'],
    ],
  },
]

const DEVICES: readonly SeedType[] = [
  {
    type: 'ota_component_type',
    name: '固件组件类型',
    standard: '1',
    entries: [
      ['1', '说明文件'],
      ['2', '固件', 'primary'],
      ['3', 'App', 'success'],
      ['4', '模型文件', 'info'],
      ['5', 'License', 'warning'],
      ['99', '其他'],
    ],
  },
  {
    type: 'license_type',
    name: '证书厂商',
    entries: [
      ['1', 'TUTK'],
      ['2', 'PPCS'],
      ['3', 'iLnk'],
      ['4', '自有'],
      ['9', '其他'],
    ],
  },
  {
    type: 'license_status',
    name: '证书状态',
    entries: [
      ['0', '未分配', 'default'],
      ['1', '已分配', 'primary'],
      ['2', '已绑定', 'info'],
      ['3', '已激活', 'success'],
      ['4', '已暂停', 'warning'],
      ['5', '已过期', 'warning'],
      ['6', '已报废', 'danger'],
    ],
  },
]

const SERVICES: readonly SeedType[] = [
  {
    type: 'oss_record_type',
    name: '录像类型',
    entries: [
      ['1', '连续录像', 'primary'],
      ['2', '事件录像', 'success'],
      ['3', '低功耗事件', 'info'],
    ],
  },
  {
    type: 'oss_order_status',
    name: '云存开通状态',
    entries: [
      ['0', '待生效', 'warning'],
      ['1', '使用中', 'success'],
      ['2', '已过期', 'default'],
      ['3', '已暂停', 'warning'],
      ['4', '已取消', 'danger'],
      ['5', '已转移', 'info'],
    ],
  },
  {
    type: 'ad_type',
    name: '广告类型',
    entries: [
      ['1', '图片'],
      ['2', '视频'],
      ['3', '音频'],
      ['4', '文字'],
      ['5', '网页'],
      ['6', 'HTML素材包'],
    ],
  },
  ...AD_DICTIONARIES,
  {
    type: 'ad_audit_status',
    name: '广告审核状态',
    entries: [
      ['0', '草稿', 'default'],
      ['1', '待审核', 'warning'],
      ['2', '已通过', 'success'],
      ['3', '已驳回', 'danger'],
    ],
  },
  {
    type: 'program_status',
    name: '节目单状态',
    entries: [
      ['0', '草稿', 'default'],
      ['1', '待发布', 'warning'],
      ['2', '发布中', 'primary'],
      ['3', '投放中', 'success'],
      ['4', '已暂停', 'warning'],
      ['5', '已结束', 'default'],
    ],
  },
  {
    type: 'program_play_mode',
    name: '播放方式',
    standard: '1',
    entries: [
      ['1', '顺序'],
      ['2', '整组'],
      ['3', '随机'],
      ['4', '按权重'],
    ],
  },
]

/** The shipped dictionaries. Types and values are fixed; labels, colours and order can be edited. */
export const DICT_SEED: readonly SeedType[] = [...SYSTEM, ...FEEDBACK, ...TENANTS, ...DEVICES, ...SERVICES]
