import { can } from '#core/auth/session.tsx'
import { matchRoute } from '#app/screen-match.ts'

/** Forms that create a record: title, page of the form, and permission. `opens` marks pages that are the form. */
const CREATE = [
  { title: '新增客户', to: '/tenantManage/tenant', access: 'tenantManage:tenant:add' },
  { title: '新增设备', to: '/device/apkManage', access: 'device:apkManage:add' },
  { title: '登记工单', to: '/AfterService/Questions', access: 'AfterService:Questions:add', words: '新增 售后 报修' },
  { title: '新增固件', to: '/AddOta', access: 'upgrade:ota:add', words: '发布 升级 OTA', opens: true },
  { title: '新增软件包', to: '/AddSoftware', access: 'upgrade:GeneralSoftware:add', opens: true },
  {
    title: '申请授权',
    to: '/LicenseManage/ConsentManage',
    access: 'LicenseManage:ConsentManage:add',
    words: '新增 License',
  },
  { title: '新增设备型号', to: '/device/updateManage', access: 'device:updateManage:add' },
  { title: '新增设备分组', to: '/device/deviceGroup', access: 'device:deviceGroup:add' },
  { title: '新增广告', to: '/advertiseManage/adList', access: 'advertiseManage:adList:add' },
  {
    title: '新增节目单',
    to: '/advertiseManage/ProgramList/add',
    access: 'advertiseManage:ProgramList:add',
    opens: true,
  },
  { title: '新增智能体', to: '/agent/agent', access: 'agent:agent:add' },
  { title: '新增云存套餐', to: '/ossManage/packageList', access: 'ossManage:packageList:add' },
  { title: '新增用户', to: '/system/manager', access: 'system:manager:add', words: '员工 账号' },
  { title: '新增角色', to: '/system/rolemanagement', access: 'system:rolemanagement:add', words: '权限' },
  { title: '新增公告', to: '/system/noticeManage', access: 'system:noticeManage:add', words: '通知 发布' },
] as const

/** An action of the search: opens a page, or runs a function. */
export interface PaletteAction {
  readonly title: string
  /** Further words by which the action is found. */
  readonly words?: string
  readonly to?: string
  /** Presses the button of the opened page that creates a record. */
  readonly adds?: boolean
  readonly run?: () => void
}

/** Returns the actions that the account may use to create records. */
export function listCreateActions(): readonly PaletteAction[] {
  const isAllowed = ({ to, access }: (typeof CREATE)[number]) => {
    const screen = matchRoute(to)?.screen
    return can(access) && screen !== undefined && can(screen.access)
  }
  return CREATE.filter(isAllowed).map((each) => ({
    title: each.title,
    to: each.to,
    adds: !('opens' in each),
    ...('words' in each && { words: each.words }),
  }))
}
