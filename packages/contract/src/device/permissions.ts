import { type CatalogueDirectory, STANDARD_ACTIONS } from '../core/permissions.ts'

export const DEVICE_CATALOGUE: CatalogueDirectory = {
  url: '/device',
  name: '设备管理',
  icon: 'video-camera',
  pages: [
    {
      url: '/device/_manage',
      name: '设备类型',
      icon: 'appstore',
      prefix: 'device:_manage',
      records: ['deviceType'],
      actions: STANDARD_ACTIONS,
    },
    {
      url: '/device/updateManage',
      name: '设备型号',
      icon: 'profile',
      prefix: 'device:updateManage',
      records: ['deviceModel'],
      actions: STANDARD_ACTIONS,
    },
    {
      url: '/device/apkManage',
      name: '设备信息',
      icon: 'camera',
      prefix: 'device:apkManage',
      records: ['device'],
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
        ['access', '修改接入设置'],
        'import',
        'export',
      ],
      hidden: [
        { url: '/device/apkManage/detail/:id', name: '设备详情' },
        { url: '/device/apkManage/access', name: '接入设置' },
      ],
    },
    {
      url: '/device/deviceGroup',
      name: '设备分组',
      icon: 'cluster',
      prefix: 'device:deviceGroup',
      records: ['deviceGroup'],
      actions: ['query', 'add', 'edit', 'remove', ['addDevice', '添加设备'], ['removeDevice', '移除设备']],
    },
  ],
}
