/** Pages that `g` and a second key open. */
export const GO_TO = [
  { key: 'h', title: '首页', to: '/indexScreen' },
  { key: 't', title: '工单', to: '/AfterService/Questions' },
  { key: 'd', title: '设备', to: '/device/apkManage' },
  { key: 'c', title: '客户', to: '/tenantManage/tenant' },
] as const

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Shortcuts of the help dialog by group: what the keys do, and the keys. */
export const SHORTCUTS: readonly { group: string; keys: readonly (readonly [string, readonly string[]])[] }[] = [
  {
    group: '随处可用',
    keys: [
      ['搜索菜单、记录和操作', [isMac ? '⌘' : 'Ctrl', 'K']],
      ['查看快捷键', ['?']],
    ],
  },
  { group: '前往', keys: GO_TO.map(({ key, title }) => [title, ['G', key.toUpperCase()]] as const) },
  {
    group: '列表',
    keys: [
      ['第一个筛选条件', ['/']],
      ['下一行', ['J']],
      ['上一行', ['K']],
      ['打开所选行', ['O', 'Enter']],
      ['编辑所选行', ['E']],
      ['新增', ['N']],
    ],
  },
  {
    group: '详情',
    keys: [
      ['上一条记录', ['[']],
      ['下一条记录', [']']],
      ['编辑', ['E']],
    ],
  },
]
