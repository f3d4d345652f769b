import type { CatalogueDirectory } from '../core/permissions.ts'

/** Firmware and software packages have separate permissions with the same actions. */
const RELEASED = [
  'query',
  'add',
  'edit',
  'remove',
  'enable',
  ['uploadComp', '上传组件'],
  'export',
  ['white', '调整白名单'],
  ['whiteAll', '按条件调整白名单'],
  ['publish', '发布'],
  ['audit', '发布审批'],
  ['task', '处理升级任务'],
  ['push', '推送到单台设备'],
] as const

export const UPGRADE_CATALOGUE: CatalogueDirectory = {
  url: '/upgrade',
  name: '设备升级',
  icon: 'cloud-upload',
  pages: [
    {
      url: '/upgrade/ota',
      name: '设备固件',
      icon: 'usb',
      prefix: 'upgrade:ota',
      records: ['ota'],
      actions: RELEASED,
      hidden: [
        { url: '/AddOta', name: '新增固件' },
        { url: '/EditOta/:id', name: '编辑固件' },
        { url: '/upgrade/ota/release/:id', name: '版本发布' },
      ],
    },
    {
      url: '/upgrade/GeneralSoftware',
      name: '通用软件',
      icon: 'code',
      prefix: 'upgrade:GeneralSoftware',
      records: ['software'],
      actions: RELEASED,
      hidden: [
        { url: '/AddSoftware', name: '新增软件包' },
        { url: '/EditSoftware/:id', name: '编辑软件包' },
        { url: '/upgrade/GeneralSoftware/release/:id', name: '软件包发布' },
      ],
    },
  ],
}
