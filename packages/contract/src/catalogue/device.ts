import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const DEVICES: CatalogueDirectory = {
  url: '/device',
  name: '设备管理',
  icon: 'video-camera',
  pages: [
    {
      url: '/device/apkManage',
      name: '设备信息',
      icon: 'video-camera',
      prefix: 'device:apkManage',
      actions: [
        'query',
        'add',
        'edit',
        'remove',
        'enable',
        ['tag', '修改标签'],
        ['move', '移动分组'],
        ['transfer', '转移客户'],
        ['token', '设备令牌'],
        ['command', '下发指令'],
        'import',
        'export',
      ],
      hidden: [{ url: '/device/apkManage/detail/:id', name: '设备详情' }],
    },
  ],
}
